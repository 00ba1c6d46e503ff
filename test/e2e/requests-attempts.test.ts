import { describe, expect, test } from 'vitest';
import { failWith, makeRequest, rangeOf } from './request-world.ts';

describe.concurrent('the first level of error handling', () => {
  test('leaves one post record per attempt, and a copy of the newest', async (context) => {
    const command = `echo "attempt $HOLDFAST_ATTEMPT_ID" >&2; for i in {1..300}; do echo line $i >&2; done;
      [ "$HOLDFAST_ATTEMPT_ID" = 3 ] || ${failWith({ exit_code: 9, error_message: 'busy', steps: { a: 1 } })}`;
    const world = makeRequest(context, rangeOf(1, command, { process: { command, retry: 3 } }));
    expect((await world.drive()).code).toBe(0);
    const name = 'unit_000001_proc_01';
    expect(world.records()).toEqual([
      `${name}.post.json`,
      `${name}.r1.a1.post.json`,
      `${name}.r1.a2.post.json`,
      `${name}.r1.a3.post.json`,
    ]);
    const [first, second, third] = [1, 2, 3].map((attempt) =>
      world.record(`${name}.r1.a${attempt}.post.json`),
    );
    expect(world.record(`${name}.post.json`)).toEqual(third);
    expect(first).toEqual({
      node_name: name,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      run: 1,
      attempt: 1,
      max_retries: 3,
      final: false,
      job: {
        exit_code: 1,
        exit_signal: null,
        hold_reason: null,
        wall_time_sec: expect.any(Number),
        cpu_time_sec: expect.toSatisfy((value) => value === null || typeof value === 'number'),
        memory_mb: expect.toSatisfy((value) => value === null || typeof value === 'number'),
        site: 'local',
        schedd: null,
      },
      report: expect.objectContaining({ exit_code: 9, error_message: 'busy', steps: { a: 1 } }),
      cmssw: first!.report,
      classification: {
        category: 'transient',
        retryable: true,
        bad_input_files: [],
        action: 'retry',
        rule: null,
        reason: expect.stringContaining('retry 1 of 3'),
      },
      problems: [],
      log_tail: expect.stringMatching(/^line 101\n/),
    });
    expect(first!.log_tail.split('\n')).toHaveLength(200);
    expect(second).toMatchObject({ attempt: 2, final: false });
    expect(third).toMatchObject({
      attempt: 3,
      final: true,
      report: null,
      classification: { category: null, action: 'success' },
    });
  });

  test('an exit of 0 with report code 9 is a failure that is retried', async (context) => {
    const command = `[ "$HOLDFAST_ATTEMPT_ID" = 2 ] || printf '{"exit_code": 9}' > "$HOLDFAST_REPORT"`;
    const world = makeRequest(context, rangeOf(1, command, { process: { command, retry: 1 } }));
    expect((await world.drive()).code).toBe(0);
    expect((await world.attempts()).map(({ category, exit_code }) => [category, exit_code])).toEqual([
      ['transient', 0],
      [null, 0],
    ]);
    expect(world.record('unit_000001_proc_01.r1.a1.post.json')).toMatchObject({
      job: { exit_code: 0 },
      classification: { category: 'transient', action: 'retry' },
    });
  });

  test('report code 50660 raises the memory by half, up to the cap', async (context) => {
    const command = `[ "$HOLDFAST_ATTEMPT_ID" = 4 ] || ${failWith({ exit_code: 50660 })}`;
    const world = makeRequest(context, {
      ...rangeOf(1, command),
      process: { command, retry: 3, resource_requirements: { num_cpus: 1, memory: '100m', runtime: '1m' } },
      rulebook: 'rules.yaml',
    });
    world.write('rules.yaml', 'rules: [{ report_codes: [50660], memory: x1.5, max_memory: 200m }]');
    expect((await world.drive()).code).toBe(0);
    const MB = 1024 ** 2;
    const posts = (await world.attempts()).map(({ post }) => post!.memory_bytes);
    expect(posts).toEqual([150 * MB, 200 * MB, 200 * MB, null]);
    const { job } = await world.json<{ job: { requirement: { memory_bytes: number } } }>(
      'explain',
      '1',
      'unit_000001_proc_01',
    );
    expect(job.requirement.memory_bytes).toBe(200 * MB);
  });

  test('the cool-off is a due time that doubles: 1 s, then 2 s', async (context) => {
    const world = makeRequest(
      context,
      rangeOf(1, 'false', { process: { command: 'false', retry: 2 }, errors: { cooloff_base_sec: 1 } }),
    );
    expect((await world.drive()).code).toBe(3);
    const due = (await world.events()).flatMap(
      ({ data }) => (data.retry_available_at_ms as number | null) ?? [],
    );
    const [first, second, third] = await world.attempts();
    expect(due).toEqual([first!.finished_at_ms! + 1000, second!.finished_at_ms! + 2000]);
    expect(second!.started_at_ms).toBeGreaterThanOrEqual(due[0]!);
    expect(third!.started_at_ms).toBeGreaterThanOrEqual(due[1]!);
  });

  test('a permanent failure is not retried, an accepted one counts as success, others are retried', async (context) => {
    const world = makeRequest(context, {
      ...rangeOf(4, ''),
      process: {
        command: 'case {unit} in 1) exit 65;; 2) exit 7;; 3) exit 5;; esac',
        retry: 1,
      },
      rulebook: 'rules.yaml',
    });
    world.write(
      'rules.yaml',
      'rules: [{ exit_codes: [65], category: permanent }, { exit_codes: [5], verdict: accept }]',
    );
    expect((await world.drive()).code).toBe(3);
    const attempts = await world.attempts();
    const count = (unit: number) =>
      attempts.filter(({ job_name }) => job_name === `unit_00000${unit}_proc_01`).length;
    expect([1, 2, 3, 4].map(count)).toEqual([1, 2, 1, 1]);
    expect((await world.units()).map(({ state }) => state)).toEqual(['failed', 'failed', 'done', 'done']);
    expect(world.record('unit_000003_proc_01.post.json').classification.action).toBe('absorbed');
  });

  test('an abort ends the run at once: jobs that run are stopped, and the round is decided as any other', async (context) => {
    const world = makeRequest(context, {
      ...rangeOf(3, ''),
      process: { command: '[ {unit} -ne 1 ] || exit 66; sleep 600', retry: 3 },
      rulebook: 'rules.yaml',
      errors: { error_hold_threshold: 0.3, error_max_rescue_attempts: 1 },
    });
    world.write('rules.yaml', 'rules: [{ exit_codes: [66], verdict: abort }]');
    expect((await world.drive()).code).toBe(3);
    expect(await world.show()).toMatchObject({ status: 'HELD', delivered: '0' });
    expect(world.record('unit_000001_proc_01.post.json').classification.action).toBe('abort');
  });

  test('exit codes of the post step are settings', async (context) => {
    const world = makeRequest(context, {
      ...rangeOf(2, ''),
      process: { command: 'false', retry: 3 },
      post: '[ "$HOLDFAST_JOB_NAME" = unit_000001_proc_01 ] && exit 77; exit 42',
      errors: { unless_exit_code: 77 },
    });
    expect((await world.drive()).code).toBe(3);
    expect(await world.attempts('unit_000001_proc_01')).toHaveLength(1);
    expect(await world.attempts('unit_000002_proc_01')).toHaveLength(4);
  });
});
