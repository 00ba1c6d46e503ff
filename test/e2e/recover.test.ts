import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EventRecord, JobDetails } from '../../src/contract/records/records.ts';
import type { RecoverResult } from '../../src/contract/records/resolution.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { until } from '../cli/run-cli.ts';
import { SERVER_MODE, stateOf } from '../cli/server-mode.ts';
import { jobsWorld, type World } from './world.ts';

const MIB = 1024 ** 2;

/** Takes hold of 100 MB bit by bit. The first attempt of all keeps them until it is ended, others for a second. */
const HOG = `"${process.execPath}" -e '
  const held = [];
  const step = setInterval(() => {
    held.push(Buffer.alloc(10e6, 1));
    if (held.length < 10) return;
    clearInterval(step);
    const first = process.env.HOLDFAST_RUN_ID === "1" && process.env.HOLDFAST_ATTEMPT_ID === "1";
    setTimeout(() => held, first ? 600000 : 1000);
  }, 20);
'`;

const LACKING = [
  { name: 'hog', command: HOG, resource_requirements: 'shared' },
  { name: 'twin', command: 'echo twin >> runs', resource_requirements: 'shared' },
  { name: 'slow', command: 'sleep 1', timeout: '500ms' },
  { name: 'odd', command: 'echo odd >> runs; test -e fixed' },
  { name: 'after', command: 'echo after >> runs', depends_on: ['hog', 'slow'] },
  { name: 'never', command: 'echo never >> runs', depends_on: ['odd'] },
];
const SHARED = { resource_requirements: [{ name: 'shared', memory: '120m' }] };
/** The time is raised by much, so that a slow machine does not decide. */
const MORE = ['--runtime-multiplier', '20'];

async function statuses(world: World): Promise<Record<string, string>> {
  return Object.fromEntries((await world.jobs()).map(({ name, status }) => [name, status]));
}

async function memoryOf(world: World, job: string): Promise<number | null> {
  return ((await world.job(job)) as JobDetails).requirement.memory_bytes;
}

/** Every row of every table. */
function contentOf({ dir }: World): string {
  const database = openDatabase(join(stateOf(dir), 'holdfast.db'));
  try {
    const tables = database
      // A server notes every now and then that it is up.
      .prepare(
        "select name from sqlite_master where type = 'table' and name <> 'server_presence' order by name",
      )
      .all() as { name: string }[];
    return JSON.stringify(
      tables.map(({ name }) => [name, database.prepare(`select * from "${name}"`).all()]),
    );
  } finally {
    database.close();
  }
}

/** One and a half times what the job had, or used where that was more. */
async function memoryAfter(world: World, job: string, had: number): Promise<number> {
  const [attempt] = await world.attempts(job);
  return Math.ceil(Math.max(had, attempt!.usage?.peak_rss_bytes ?? 0) * 1.5);
}

describe('a real lack of memory and a real timeout', () => {
  test('D5 are recovered in the same run where failures wait for a decision', async (context) => {
    const world = jobsWorld(context, LACKING, { ...SHARED, use_pending_failed: true });
    expect((await world.run('run', 'spec.json')).code).toBe(3);
    expect(await statuses(world)).toEqual({
      hog: 'pending_failed',
      twin: 'completed',
      slow: 'pending_failed',
      odd: 'pending_failed',
      after: 'blocked',
      never: 'blocked',
    });

    const more = await memoryAfter(world, 'hog', 120 * MIB);
    const recovered = await world.json<RecoverResult>('recover', '1', ...MORE);
    expect(recovered).toMatchObject({
      mode: 'resolve',
      run_id: 1,
      retried: [
        { name: 'hog', why: 'oom', memory_bytes: { from: 120 * MIB, to: more }, runtime_ms: null },
        { name: 'slow', why: 'timeout', memory_bytes: null, runtime_ms: { from: 500, to: 10_000 } },
      ],
      left: [{ name: 'odd', status: 'pending_failed' }],
    });
    expect((await world.run('run', '1')).code).toBe(3);
    expect(await statuses(world)).toMatchObject({
      hog: 'completed',
      slow: 'completed',
      odd: 'pending_failed',
      after: 'completed',
      never: 'blocked',
    });
    expect(await world.job('hog')).toMatchObject({ run_id: 1, attempt_id: 2 });
    expect([await memoryOf(world, 'hog'), await memoryOf(world, 'twin')]).toEqual([more, 120 * MIB]);
    expect(await world.attempts('twin')).toHaveLength(1);
    const decisions = (await world.json<EventRecord[]>('events', '1')).filter(
      ({ type }) => type === 'decision',
    );
    expect(decisions.map(({ actor, job_name }) => [actor, job_name])).toEqual([
      ['recover', 'hog'],
      ['recover', 'slow'],
    ]);
  });

  test('D6 are recovered in a new run where the run is complete', async (context) => {
    const world = jobsWorld(context, LACKING, SHARED);
    expect((await world.run('run', 'spec.json')).code).toBe(1);
    expect(await statuses(world)).toMatchObject({ hog: 'failed', slow: 'terminated', after: 'canceled' });

    const more = await memoryAfter(world, 'hog', 120 * MIB);
    const { code, stdout } = await world.run('recover', '1', ...MORE);
    expect(code).toBe(0);
    expect(stdout).toContain('began run 2 with 2 jobs to try again');
    expect(stdout).toMatch(/hog +out of memory +120m → /);
    expect(stdout).toMatch(/slow +timed out +- +500ms → 10s/);
    expect(stdout).toMatch(/odd +failed +.* its cause \(exit\)/);
    expect(stdout).toContain('next: holdfast run 1');
    expect((await world.run('run', '1')).code).toBe(1);
    expect(await statuses(world)).toEqual({
      hog: 'completed',
      twin: 'completed',
      slow: 'completed',
      odd: 'failed',
      after: 'completed',
      never: 'canceled',
    });
    expect([await memoryOf(world, 'hog'), await memoryOf(world, 'twin')]).toEqual([more, 120 * MIB]);
    expect(world.lines('runs').toSorted()).toEqual(['after', 'odd', 'twin']);

    world.write('fixed');
    expect((await world.run('recover', '1', '--retry-unknown')).code).toBe(0);
    expect((await world.run('run', '1')).code).toBe(0);
    expect(world.lines('runs').toSorted()).toEqual(['after', 'never', 'odd', 'odd', 'twin']);
    expect((await world.attempts('hog')).map(({ run_id }) => run_id)).toEqual([1, 2]);
  });

  test('are recovered by watch, from the failure to the end', async (context) => {
    const world = jobsWorld(context, LACKING, SHARED);
    world.write('fixed');
    const run = await world.run('run', 'spec.json');
    expect(run.code).toBe(1);
    const watch = await world.run('watch', '1', '--recover', ...MORE);
    expect(watch.code).toBe(0);
    expect(watch.stderr).toContain('began run 2 with 2 jobs to try again');
    expect(watch.stdout).toContain('run 2: completed');
    expect(await world.status()).toMatchObject({ complete: true, exit_code: 0, workflow: { run_id: 2 } });
    await world.nothingLeft();
  });
});

const FAILS_ONCE = 'echo tried >> runs; [ "$(wc -l < runs)" -ge 2 ]';
const UPF = { use_pending_failed: true };

describe.concurrent('recover', () => {
  test('changes nothing in a dry run', async (context) => {
    const world = jobsWorld(context, [{ name: 'odd', command: 'exit 1' }]);
    await world.run('run', 'spec.json');
    const before = contentOf(world);
    const hook = ['--recovery-hook', 'touch hooked'];
    const { code, stdout } = await world.run('recover', '1', '--retry-unknown', '--dry-run', ...hook);
    expect([code, stdout]).toEqual([0, expect.stringContaining('would begin run 2 with 1 job to try again')]);
    expect(contentOf(world)).toBe(before);
    expect(readdirSync(world.dir)).not.toContain('hooked');
    await world.run('recover', '1', '--retry-unknown');
    expect(contentOf(world)).not.toBe(before);
  });

  test('runs the hook first, which gets what failed', async (context) => {
    const world = jobsWorld(context, [{ name: 'odd', command: FAILS_ONCE }], UPF);
    await world.run('run', 'spec.json');
    const hook = `echo "$HOLDFAST_WORKFLOW_ID" > id; printf %s "$HOLDFAST_FAILED_JOBS" > jobs; cat > stdin`;
    expect((await world.run('recover', '1', '--retry-unknown', '--recovery-hook', hook)).code).toBe(0);
    expect(world.lines('id')).toEqual(['1']);
    expect(world.lines('stdin')).toEqual(world.lines('jobs'));
    expect(JSON.parse(world.lines('jobs')[0]!)).toEqual([
      { job_id: 1, name: 'odd', why: 'unknown', retried: true },
    ]);
    expect((await world.run('run', '1')).code).toBe(0);
  });

  test('gives the hook the number of the workflow as $1, and a program as its argument', async (context) => {
    const world = jobsWorld(context, [{ name: 'odd', command: 'exit 1' }]);
    await world.run('run', 'spec.json');
    world.write('hook.sh', 'echo "$# $1 $TORC_WORKFLOW_ID" >> reported\n');
    for (const hook of ['bash hook.sh', 'bash hook.sh "$1"; true']) {
      await world.run('recover', '1', '--retry-unknown', '--recovery-hook', hook);
      await world.run('run', '1');
    }
    expect(world.lines('reported')).toEqual(['1 1 1', '1 1 1']);
  });

  test('says that an agent has nothing to decide in a workflow that did not opt in', async (context) => {
    const world = jobsWorld(context, [{ name: 'odd', command: 'exit 1' }]);
    await world.run('run', 'spec.json');
    world.write('.holdfast/config.yaml', 'ai_agents:\n  mine: "true"\n');
    const { code, stderr } = await world.run('recover', '1', '--ai-recovery', '--ai-agent', 'mine');
    expect([code, stderr]).toEqual([0, expect.stringContaining('does not have use_pending_failed enabled')]);
  });

  test('changes nothing if the hook fails, and needs none if nothing is retried', async (context) => {
    const world = jobsWorld(context, [{ name: 'odd', command: 'exit 1' }], UPF);
    await world.run('run', 'spec.json');
    const before = contentOf(world);
    const hook = ['--recovery-hook', 'echo called >> calls; exit 4'];
    const failed = await world.run('recover', '1', '--retry-unknown', ...hook);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('the recovery hook failed: exit 4; nothing was changed');
    expect((await world.run('recover', '1', ...hook)).code).toBe(0);
    expect(contentOf(world)).toBe(before);
    expect(world.lines('calls')).toEqual(['called']);
  });

  test('gives no job more than it may have', async (context) => {
    const world = jobsWorld(context, [{ name: 'slow', command: 'sleep 60', timeout: '200ms' }]);
    await world.run('run', 'spec.json');
    const capped = await world.json<RecoverResult>('recover', '1', '--max-runtime', '200ms');
    expect(capped).toMatchObject({
      mode: 'nothing',
      left: [{ name: 'slow', why: expect.stringContaining('may') }],
    });
    const raised = await world.json<RecoverResult>('recover', '1', '--max-runtime', '250ms');
    expect(raised.retried).toMatchObject([{ runtime_ms: { from: 200, to: 250 } }]);
  });
});

const WAITS = 'until [ -e go ]; do sleep 0.05; done';

describe.concurrent('watch', () => {
  test.for([
    ['completes', 'true', 0],
    ['fails', 'exit 9', 1],
  ] as const)('follows a run of another process until it %s', async ([, last, code], context) => {
    const world = jobsWorld(context, [{ name: 'job', command: `${WAITS}; ${last}` }]);
    const driver = world.start('run', 'spec.json');
    await world.running();
    const watch = world.start('watch', '1');
    await until(() => watch.output().stderr.includes(`process ${driver.child.pid}`), 'it follows');
    world.write('go');
    expect((await watch.ended).code).toBe(code);
    expect((await driver.ended).code).toBe(code);
    expect(await world.attempts()).toHaveLength(1);
  });

  test('says if nobody runs the workflow, and continues following', async (context) => {
    const world = jobsWorld(context, [{ name: 'job', command: WAITS }]);
    const stopped = world.start('run', 'spec.json');
    await world.running();
    stopped.child.kill('SIGINT');
    expect((await stopped.ended).code).toBe(130);
    const watch = world.start('watch', '1');
    const said = SERVER_MODE
      ? 'no worker runs a job of this workflow now; holdfast workers list'
      : 'no process runs this workflow; holdfast run 1';
    await until(() => watch.output().stderr.includes(said), 'it says so');
    world.write('go');
    expect((await world.run('run', '1')).code).toBe(0);
    expect((await watch.ended).code).toBe(0);
  });

  test('with --recover runs what nobody else runs', async (context) => {
    const world = jobsWorld(context, [{ name: 'job', command: WAITS }]);
    const stopped = world.start('run', 'spec.json');
    await world.running();
    stopped.child.kill('SIGINT');
    await stopped.ended;
    world.write('go');
    expect((await world.run('watch', '1', '--recover')).code).toBe(0);
  });

  test('ends with 3 if it is not to wait for decisions', async (context) => {
    const world = jobsWorld(context, [{ name: 'job', command: 'exit 1' }], UPF);
    await world.run('run', 'spec.json');
    expect((await world.run('watch', '1', '--exit-when-waiting')).code).toBe(3);
    expect((await world.run('watch', '1', '--recover', '--exit-when-waiting')).code).toBe(3);
    expect(await world.attempts()).toHaveLength(1);
  });

  test('stays while a decision is open, and continues when it is made', async (context) => {
    const world = jobsWorld(context, [{ name: 'job', command: FAILS_ONCE }], UPF);
    await world.run('run', 'spec.json');
    const watch = world.start('watch', '1', '--recover');
    await until(() => watch.output().stderr.includes('1 job waits for a decision'), 'it waits');
    expect((await world.run('resolve', '1', '--retry', 'job', '--reason', 'the disk is back')).code).toBe(0);
    expect((await watch.ended).code).toBe(0);
    expect(await world.attempts()).toHaveLength(2);
  });

  test('recovers only as often as its rounds allow', async (context) => {
    const world = jobsWorld(context, [{ name: 'job', command: 'echo run >> runs; exit 1' }]);
    await world.run('run', 'spec.json');
    const watch = await world.run('watch', '1', '--recover', '--retry-unknown', '--max-rounds', '2');
    expect(watch.code).toBe(1);
    expect(world.lines('runs')).toHaveLength(3);
    expect((await world.status()).workflow.run_id).toBe(3);
  });

  test('stops with Ctrl-C; what runs here is stopped with it', async (context) => {
    const world = jobsWorld(context, [
      { name: 'job', command: `echo run >> runs; test -e failed && ${WAITS}; touch failed; exit 1` },
    ]);
    await world.run('run', 'spec.json');
    const watch = world.start('watch', '1', '--recover', '--retry-unknown');
    await world.linesReached('runs', 2);
    watch.child.kill('SIGINT');
    const ended = await watch.ended;
    expect(ended.code).toBe(130);
    expect(ended.stderr).toMatch(
      /stopping (?:1 running job|the running jobs) \(grace 10s\); press Ctrl-C again/,
    );
    expect(await world.job('job')).toMatchObject({ status: 'ready', run_id: 2 });
    await world.nothingLeft();
  });

  test.for([
    ['--max-rounds', '0', 'watch --recover'],
    ['--memory-multiplier', '1', 'recover'],
    ['--runtime-multiplier', 'much', 'recover'],
    ['--max-memory', 'much', 'recover'],
    ['--max-runtime', 'long', 'recover'],
    ['--min-confidence', '1.5', 'recover'],
    ['--max-decisions', '0', 'recover'],
    ['--max-rounds', '2', 'watch'],
  ] as const)('refuses %s %s of %s', async ([flag, value, command], context) => {
    const world = jobsWorld(context, [{ name: 'job', command: 'exit 1' }]);
    const [verb, ...more] = command.split(' ');
    const { code, stderr } = await world.run(verb!, '1', ...more, flag, value);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`error: ${flag}`)]);
  });
});
