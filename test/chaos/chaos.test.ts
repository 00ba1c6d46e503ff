import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allPages } from '../../src/contract/all-pages.ts';
import type { AttemptRecord, EventRecord, JobRecord } from '../../src/contract/records/records.ts';
import { until } from '../cli/run-cli.ts';
import { ChaosWorld, LEASE_MS, signal } from './chaos-world.ts';

/** How long things are broken; HOLDFAST_CHAOS_SECONDS makes it long. */
const CHAOS_MS = Number(process.env.HOLDFAST_CHAOS_SECONDS ?? 20) * 1000;
const JOBS = Math.round(CHAOS_MS / 250);
/** For everything to end once nothing is broken any more. */
const PATIENCE_MS = 120_000 + CHAOS_MS;

/**
 * Notes its start and its end in a file of its own. The lock is held by every process of the attempt that lives, so
 * that whoever cannot have it has met another attempt.
 */
const OWN_FILE = `f="$CHAOS_DIR/$HOLDFAST_WORKFLOW_ID-$HOLDFAST_JOB_ID"
exec 9>>"$f.lock"
flock -n 9 || echo "overlap $HOLDFAST_RUN_ID $HOLDFAST_ATTEMPT_ID" >> "$f"
echo "start $HOLDFAST_RUN_ID $HOLDFAST_ATTEMPT_ID" >> "$f"
`;
const FLAKY = `${OWN_FILE}sleep 0.$((RANDOM % 8 + 1))
[ $((RANDOM % 6)) -gt 0 ] || exit 7
`;
const retry = {
  max_retries_failure: 100,
  max_retries_preemption: 1000,
  initial_retry_delay_ms: 200,
  max_retry_delay_ms: 1000,
};

let world: ChaosWorld;

beforeAll(async () => {
  world = await ChaosWorld.start({ servers: 3, workers: 8 });
}, 60_000);
afterAll(() => world.stop(), 60_000);

const attemptsOf = (id: number) => allPages((page) => world.engine.listAttempts(id, page));
const jobsOf = (id: number) => allPages((page) => world.engine.listJobs(id, page));
const eventsOf = (id: number) => allPages((page) => world.engine.listEvents(id, page));

/** One thing goes wrong, and is put right after a while. */
async function breakSomething(): Promise<void> {
  const any = <T>(list: T[]): T | undefined => list[Math.floor(Math.random() * list.length)];
  const [server, worker] = [any(world.servers)!, any(world.workers)!];
  const launcher = any(world.launchers());
  const brief = 200 + Math.random() * 2000;
  switch (
    any([
      'kill server',
      'pause server',
      'kill worker',
      'pause worker',
      'fence worker',
      'kill launcher',
      'pause launcher',
    ])
  ) {
    case 'kill server':
      await server.end('SIGKILL');
      await sleep(brief / 2);
      server.start();
      break;
    case 'pause server':
      server.pause();
      await sleep(brief);
      server.unpause();
      break;
    case 'kill worker':
      await worker.end('SIGKILL');
      await sleep(brief);
      worker.start();
      break;
    case 'pause worker':
      worker.pause();
      await sleep(brief);
      worker.unpause();
      break;
    case 'fence worker':
      worker.pause();
      await sleep(LEASE_MS + brief);
      worker.unpause();
      break;
    case 'kill launcher':
      if (launcher !== undefined) signal(launcher, 'SIGKILL');
      break;
    case 'pause launcher':
      if (launcher === undefined) break;
      signal(launcher, 'SIGSTOP');
      await sleep(brief * 2);
      signal(launcher, 'SIGCONT');
      break;
  }
}

/** Several things at once, for a while; PostgreSQL is restarted in the middle. */
async function breakThings(ms: number): Promise<void> {
  const end = Date.now() + ms;
  const restart = sleep(ms / 2).then(async () => {
    await world.postgres.stop();
    await sleep(500);
    await world.postgres.start();
  });
  const hands = Array.from({ length: 3 }, async () => {
    while (Date.now() < end) {
      await breakSomething();
      await sleep(Math.random() * 500);
    }
  });
  await Promise.all([restart, ...hands]);
}

/** The success of an attempt that had been given up: it ran under the number of the one before. */
function isLate({ reason }: Pick<AttemptRecord, 'reason'>): boolean {
  return reason?.includes('reported late') === true;
}

function checkJob(workflowId: number, job: JobRecord, attempts: AttemptRecord[]): void {
  const label = `job ${job.name} of workflow ${workflowId}`;
  expect(job.status, label).toBe('completed');
  expect(
    attempts.map(({ attempt_id }) => attempt_id),
    label,
  ).toEqual(attempts.map((_, index) => index + 1));
  expect(
    attempts.filter(({ finished_at_ms }) => finished_at_ms === null),
    label,
  ).toEqual([]);
  expect(
    attempts.map(({ state }) => state === 'SUCCEEDED'),
    label,
  ).toEqual(attempts.map((_, index) => index === attempts.length - 1));
  // Jobs end by themselves with 0 or 7; an end that came from outside is charged to no job.
  expect(
    attempts.filter(({ state, exit_code }) => state === 'FAILED' && exit_code !== 7),
    label,
  ).toEqual([]);
  const count = (which: string) => attempts.filter(({ state }) => state === which).length;
  expect(job.failure_count, label).toBe(count('FAILED'));
  expect(job.preemption_count, label).toBeLessThanOrEqual(count('WORKER_FAILED'));

  const lines = world.linesOf(workflowId, job.id);
  expect(
    lines.filter((line) => line.startsWith('overlap')),
    label,
  ).toEqual([]);
  const starts = lines.filter((line) => line.startsWith('start'));
  expect(new Set(starts).size, `${label}: ${starts.join(', ')}`).toBe(starts.length);
  const known = new Set(attempts.map(({ run_id, attempt_id }) => `start ${run_id} ${attempt_id}`));
  expect(
    starts.filter((start) => !known.has(start)),
    label,
  ).toEqual([]);
  // What succeeded or failed did run; only what was lost may not have come so far.
  for (const attempt of attempts) {
    const { run_id, attempt_id, state } = attempt;
    const ran = isLate(attempt) ? attempt_id - 1 : attempt_id;
    if (state === 'SUCCEEDED' || state === 'FAILED')
      expect(starts, `${label}: ${JSON.stringify(attempt)}`).toContain(`start ${run_id} ${ran}`);
  }
}

function checkEvents(events: EventRecord[], attempts: AttemptRecord[]): void {
  const closing = events.filter(({ type }) =>
    ['completed', 'retry', 'requeue', 'failure', 'cancel'].includes(type),
  );
  const keys = closing.map(({ job_id, run_id, attempt_id }) => `${job_id} ${run_id} ${attempt_id}`);
  expect(keys.toSorted()).toEqual(
    attempts.map(({ job_id, run_id, attempt_id }) => `${job_id} ${run_id} ${attempt_id}`).toSorted(),
  );
  for (const { job_id, attempt_id, data } of closing) {
    const due = data.retry_available_at_ms;
    const next = attempts.find(
      (attempt) => attempt.job_id === job_id && attempt.attempt_id === attempt_id! + 1,
    );
    if (next !== undefined && isLate(next)) continue;
    if (typeof due === 'number') expect(next?.claimed_at_ms).toBeGreaterThanOrEqual(due);
  }
}

const complete = async (id: number) => (await world.engine.status(id)).complete;

describe('three servers, eight workers and one PostgreSQL', () => {
  test('whatever is killed, paused, lost or doubled, every job ends as it must and no attempt runs twice', {
    timeout: 2 * PATIENCE_MS,
  }, async () => {
    const plain = { command: FLAKY, retry };
    const range = (count: number) => Array.from({ length: count }, (_, index) => index);
    const ids = [
      await world.submit({
        name: 'wide',
        jobs: range(JOBS).map((index) => ({ name: `wide${index}`, ...plain })),
      }),
      await world.submit({
        name: 'chain',
        jobs: range(JOBS / 8).map((index) => ({
          name: `link${index}`,
          ...plain,
          ...(index === 0 ? {} : { depends_on: [`link${index - 1}`] }),
        })),
      }),
      await world.submit({
        name: 'narrow',
        max_parallel: 2,
        jobs: range(JOBS / 4).map((index) => ({ name: `narrow${index}`, ...plain })),
      }),
    ];
    world.proxy.faults = { drop: 0.04, dropAnswer: 0.04, double: 0.04, delayMs: 1000 };
    await breakThings(CHAOS_MS);
    world.proxy.faults = null;
    for (const each of [...world.servers, ...world.workers]) if (each.pid === null) each.start();
    for (const id of ids) await until(() => complete(id), `workflow ${id} is complete`, PATIENCE_MS);

    for (const id of ids) {
      const attempts = await attemptsOf(id);
      for (const job of await jobsOf(id)) {
        checkJob(
          id,
          job,
          attempts.filter(({ job_id }) => job_id === job.id),
        );
      }
      checkEvents(await eventsOf(id), attempts);
    }
    const { drop, dropAnswer, double } = world.proxy.counts;
    expect(Math.min(drop, dropAnswer, double)).toBeGreaterThan(0);
  });

  test('a retry whose servers and workers were all killed during its backoff comes at its stated time', {
    timeout: PATIENCE_MS,
  }, async () => {
    const id = await world.submit({
      name: 'backoff',
      jobs: [
        {
          name: 'late',
          command: `${OWN_FILE}[ $HOLDFAST_ATTEMPT_ID -ge 2 ]`,
          retry: { ...retry, initial_retry_delay_ms: 5000, max_retry_delay_ms: 5000 },
        },
      ],
    });
    const due = await until(
      async () => (await jobsOf(id))[0]!.retry_available_at_ms || null,
      'the retry waits',
      60_000,
    );
    await Promise.all([...world.servers, ...world.workers].map((each) => each.end('SIGKILL')));
    expect((await jobsOf(id))[0]!.retry_available_at_ms).toBe(due);
    for (const each of [...world.servers, ...world.workers]) each.start();
    await until(() => complete(id), 'it is complete', 60_000);
    const [first, second] = await attemptsOf(id);
    expect(second!.claimed_at_ms).toBeGreaterThanOrEqual(due);
    expect(due).toBe(first!.finished_at_ms! + 5000);
  });

  test('a worker paused past its lease finds its processes gone, and its late report is refused', {
    timeout: PATIENCE_MS,
  }, async () => {
    const id = await world.submit({
      name: 'paused',
      jobs: [
        { name: 'long', command: `${OWN_FILE}[ $HOLDFAST_ATTEMPT_ID -ge 2 ] || sleep 1000 & wait`, retry },
      ],
    });
    const job = (await jobsOf(id))[0]!;
    await until(() => world.linesOf(id, job.id).includes('start 1 1'), 'it runs', 60_000);
    const [attempt] = await attemptsOf(id);
    const { items } = await world.engine.listWorkers({ limit: 100 });
    const holder = items.find((worker) => worker.id === attempt!.worker_id)!;
    const worker = world.workers.find(({ pid }) => pid === holder.pid)!;
    worker.pause();
    await until(() => complete(id), 'another worker has done it', 90_000);
    expect(world.processes('sleep\x001000')).toEqual([]);
    expect(world.linesOf(id, job.id)).toEqual(['start 1 1', 'start 1 2']);
    worker.unpause();
    await until(() => worker.output.includes('has been retired'), 'the worker hears it', 60_000);
    expect(await attemptsOf(id)).toMatchObject([{ state: 'WORKER_FAILED' }, { state: 'SUCCEEDED' }]);
  });
});
