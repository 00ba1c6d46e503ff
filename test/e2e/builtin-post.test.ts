import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import type { WorkflowModel } from '../../src/core/model/workflow-model.ts';
import { DEFAULT_RULE } from '../../src/core/policy/failure-rule.ts';
import type { PostRecord } from '../../src/core/request/post-record.ts';
import type { RulebookRule } from '../../src/core/request/request-model.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { stateOf } from '../cli/server-mode.ts';
import { type SimpleJob, simpleModel } from '../engine/simple-model.ts';
import { kill } from '../kill-process.ts';
import { jobsWorld, makeWorld, type World } from './world.ts';

const GIB = 1024 ** 3;
/** Takes far more than a second on the log below. */
const SLOW = '(?:[ab]?){1000}[cd]';

const RULE: RulebookRule = { ...DEFAULT_RULE, reportCodes: [], message: null, holds: null, badItems: 'none' };

const RULES: Partial<RulebookRule>[] = [
  { reportCodes: [[8021, 8021]], category: 'data', badItems: 'reported' },
  { exitCodes: [[65, 65]], category: 'permanent' },
  { reportCodes: [[50660, 50660]], memory: { factor: 1.5, value: null, maximum: 8 * GIB } },
  { stderr: 'HTTP 507', category: 'infrastructure', delayMs: 10 },
];

function modelOf(jobs: SimpleJob[], rules = RULES): WorkflowModel {
  const retry = { max_retries_failure: 2, initial_retry_delay_ms: 10 };
  const withPost = jobs.map((job) => ({
    retry,
    ...job,
    post: { rulebook: 'rulebook', ...(job.post as object) },
  }));
  return simpleModel(withPost, {
    handlers: [{ name: 'rulebook', rules: rules.map((rule) => ({ ...RULE, ...rule })) }],
  });
}

/** A world whose workflow 1 was made from the model. */
async function worldWith(context: TestContext, model: WorkflowModel): Promise<World> {
  const world = makeWorld(context, {});
  const engine = await openEngine({ dir: stateOf(world.dir), create: true });
  await engine.createWorkflow({ model, cwd: world.dir, output_dir: 'output', actor: 'test' });
  await engine.close();
  return world;
}

const records = (world: World) => readdirSync(join(world.dir, 'records')).sort();
const recordOf = (world: World, name: string) =>
  JSON.parse(readFileSync(join(world.dir, 'records', name), 'utf8')) as PostRecord;

const report = (content: object) => `printf %s '${JSON.stringify(content)}' > "$HOLDFAST_REPORT"`;

describe.concurrent('the built-in post step', () => {
  test('classifies attempts and leaves a record of each', async (context) => {
    const world = await worldWith(
      context,
      modelOf([
        { name: 'good', command: `${report({ exit_code: 0, performance: { events: 7 } })}; echo fine >&2` },
        {
          name: 'data',
          command: `${report({ exit_code: 8021, error_message: 'cannot read in/2.root' })}; exit 85`,
          post: { items: ['in/1.root', 'in/2.root'] },
        },
        { name: 'permanent', command: 'exit 65' },
        { name: 'reported', command: report({ exit_code: 9 }) },
        { name: 'site', command: '[ "$HOLDFAST_ATTEMPT_ID" = 2 ] || { echo "HTTP 507" >&2; exit 1; }' },
        { name: 'crash', command: 'kill -SEGV $$', retry: {} },
        {
          name: 'memory',
          command: `[ "$HOLDFAST_ATTEMPT_ID" = 2 ] || { ${report({ exit_code: 50660 })}; exit 1; }`,
          memoryBytes: GIB / 8,
        },
        { name: 'busy', command: 'end=$((SECONDS + 2)); while [ $SECONDS -lt $end ]; do :; done' },
      ]),
    );
    expect((await world.run('run', '1', '-j', '4')).code).toBe(1);
    const statuses = Object.fromEntries((await world.jobs()).map(({ name, status }) => [name, status]));
    expect(statuses).toEqual({
      good: 'completed',
      data: 'failed',
      permanent: 'failed',
      reported: 'failed',
      site: 'completed',
      crash: 'terminated',
      memory: 'completed',
      busy: 'completed',
    });
    expect(records(world).filter((name) => !/^\w+\.post\.json$/.test(name))).toEqual([
      'busy.r1.a1.post.json',
      'crash.r1.a1.post.json',
      'data.r1.a1.post.json',
      'good.r1.a1.post.json',
      'memory.r1.a1.post.json',
      'memory.r1.a2.post.json',
      'permanent.r1.a1.post.json',
      'reported.r1.a1.post.json',
      'reported.r1.a2.post.json',
      'reported.r1.a3.post.json',
      'site.r1.a1.post.json',
      'site.r1.a2.post.json',
    ]);
    expect(recordOf(world, 'good.post.json')).toMatchObject({
      node_name: 'good',
      attempt: 1,
      max_retries: 2,
      final: true,
      job: { exit_code: 0, exit_signal: null, site: 'local' },
      report: { exit_code: 0, performance: { events: 7 } },
      cmssw: { exit_code: 0 },
      classification: { category: null, action: 'success' },
      log_tail: 'fine',
    });
    expect(recordOf(world, 'data.post.json')).toMatchObject({
      final: true,
      job: { exit_code: 85 },
      classification: {
        category: 'data',
        rule: 1,
        bad_input_files: ['in/2.root'],
        action: 'permanent_failure',
      },
    });
    expect(recordOf(world, 'reported.r1.a2.post.json')).toMatchObject({ final: false, attempt: 2 });
    expect(recordOf(world, 'reported.post.json')).toMatchObject({
      final: true,
      attempt: 3,
      classification: { category: 'transient', action: 'retries_exhausted' },
    });
    expect(recordOf(world, 'site.r1.a1.post.json').classification).toMatchObject({
      category: 'infrastructure',
      rule: 4,
    });
    expect(recordOf(world, 'crash.post.json')).toMatchObject({
      final: true,
      job: { exit_code: null, exit_signal: 'SIGSEGV' },
    });
    const busy = recordOf(world, 'busy.post.json').job;
    expect(busy.wall_time_sec).toBeGreaterThan(0.9);
    expect(busy.cpu_time_sec).toBeGreaterThan(0);
    expect(busy.memory_mb).toBeGreaterThan(0);
    expect(await world.attempts('data')).toMatchObject([
      {
        category: 'data',
        rule: 'final',
        post: {
          exit_code: 42,
          report_code: 8021,
          bad_inputs: ['in/2.root'],
          message: 'cannot read in/2.root',
        },
      },
    ]);
    const details = await world.json<{ job: { requirement: { memory_bytes: number } } }>(
      'explain',
      '1',
      'memory',
    );
    expect(details.job.requirement.memory_bytes).toBe(Math.round((GIB / 8) * 1.5));
    const explained = await world.run('explain', '1', 'data');
    expect(explained.stdout).toContain('report code 8021: data (rule 1), not retried; bad inputs: in/2.root');
  });

  test('that runs when everything is killed is done by the next run, and decides as it would have', async (context) => {
    const rules = [{ stderr: SLOW, category: 'data' as const }, ...RULES];
    const world = await worldWith(
      context,
      modelOf(
        [
          {
            name: 'a',
            command: `head -c 200000 /dev/zero | tr '\\0' a >&2; ${report({ exit_code: 7 })}; exit 65`,
          },
        ],
        rules,
      ),
    );
    const run = world.start('run', '1');
    await world.errand('post');
    kill(run.child.pid!);
    await run.ended;
    expect(existsSync(join(world.dir, 'records'))).toBe(false);
    await world.nothingLeft();
    expect((await world.run('run', '1')).code).toBe(1);
    expect(await world.attempts()).toMatchObject([
      {
        attempt_id: 1,
        exit_code: 65,
        category: 'permanent',
        post: { exit_code: 42, report_code: 7, problem: expect.stringContaining('takes more than 1 s') },
      },
    ]);
    expect(recordOf(world, 'a.r1.a1.post.json')).toMatchObject({
      report: { exit_code: 7 },
      classification: { category: 'permanent', rule: 3 },
      problems: [expect.stringContaining('takes more than 1 s')],
    });
  });
});

describe.concurrent('holdfast post as the post script of a job', () => {
  const BIN = `${process.execPath} ${new URL('../../bin/holdfast.js', import.meta.url).pathname}`;

  test('classifies it by the file that HOLDFAST_OUTCOME names', async (context) => {
    const world = jobsWorld(
      context,
      [
        {
          name: 'job',
          command: `cat "$0" >/dev/null 2>&1; ${report({ exit_code: 8028, bad_input_files: ['x.root'] })}; echo broken >&2; exit 3`,
          post: `cp "$HOLDFAST_OUTCOME" outcome.json; ${BIN} post --dir records --rulebook rules.yaml`,
          retry: { max_retries_failure: 2 },
          resource_requirements: 'small',
        },
      ],
      { resource_requirements: [{ name: 'small', num_cpus: 1, memory: '1g', runtime: '1m' }] },
    );
    world.write('rules.yaml', 'rules: [{ report_codes: [8028], category: data, bad_items: reported }]');
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    expect(await world.attempts()).toMatchObject([
      {
        category: 'data',
        exit_code: 3,
        post: {
          exit_code: 42,
          bad_inputs: ['x.root'],
          report_code: 8028,
          reason: expect.stringMatching(/rule 1/),
        },
      },
    ]);
    expect(recordOf(world, 'job.r1.a1.post.json')).toMatchObject({
      node_name: 'job',
      max_retries: 2,
      job: { exit_code: 3, site: 'local' },
      log_tail: 'broken',
    });
    expect(JSON.parse(readFileSync(join(world.dir, 'outcome.json'), 'utf8'))).toMatchObject({
      node: 'job',
      run: 1,
      attempt: 1,
      max_retries: 2,
      failures_before: 0,
      outcome: { exit_code: 3 },
      cause: 'exit',
      match_code: 3,
      site: 'local',
      logs: { stderr: expect.stringMatching(/_a1\.e$/) },
      report: expect.stringContaining('.holdfast-report.json'),
      items: [],
      memory_bytes: GIB,
      runtime_ms: 60_000,
      permanent_code: 42,
      abort_code: 43,
    });
  });

  test('and any other script may have codes of its own', async (context) => {
    const model = simpleModel([
      { name: 'permanent', command: 'exit 1', post: 'exit 77', retry: { max_retries_failure: 2 } },
      {
        name: 'plain',
        command: 'exit 1',
        post: 'exit 42',
        retry: { max_retries_failure: 1, initial_retry_delay_ms: 1 },
      },
    ]);
    for (const { config } of model.jobs) Object.assign(config.post!, { permanent_code: 77, abort_code: 78 });
    const world = await worldWith(context, model);
    expect((await world.run('run', '1')).code).toBe(1);
    expect(await world.attempts('permanent')).toMatchObject([{ category: 'permanent', rule: 'final' }]);
    expect(await world.attempts('plain')).toMatchObject([
      { category: 'transient' },
      { category: 'transient' },
    ]);
  });
});
