import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { builtFile } from '../../src/core/package-files.ts';
import { Launchers } from '../../src/worker/execute/launchers.ts';
import type { SpawnOrder } from '../../src/worker/launcher/protocol.ts';
import { buildProgram } from '../build-program.ts';
import {
  eventually,
  isAlive,
  launcherWorld,
  processesWith,
  spawnOrder,
  temporaryDirectory,
} from './launcher-world.ts';

const WORKER_PROGRAM = await buildProgram('test/launcher/worker-program.ts');
const LAUNCHER_PROGRAM = fileURLToPath(builtFile('launcher'));

/** Leaves its process group, its session and its parent, and does not listen to SIGTERM. */
const WITH_ESCAPEES = `
  trap '' TERM
  (setsid bash -c "trap '' TERM; while :; do sleep 1; done" &)
  setsid sleep 600 &
  while :; do sleep 1; done`;

interface WorkerPids {
  worker: number;
  launchers: number[];
  guardian: number;
}

/** Starts the worker program, and resolves with its pids when all its orders were answered. */
async function startWorker(dir: string, orders: SpawnOrder[], maximum: number): Promise<WorkerPids> {
  const ordersFile = join(dir, 'orders.json');
  writeFileSync(ordersFile, JSON.stringify(orders));
  const worker = spawn(process.execPath, [WORKER_PROGRAM, dir, ordersFile, String(maximum)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void worker.kill('SIGKILL'));
  for await (const line of createInterface(worker.stdout)) {
    const message = JSON.parse(line);
    if ('worker' in message) return message;
  }
  throw new Error('the worker program ended without a word');
}

async function startWorkerWithEscapees(count: number, maximum: number) {
  const dir = temporaryDirectory();
  const orders = Array.from({ length: count }, (_, i) => spawnOrder(dir, i + 1, WITH_ESCAPEES));
  const pids = await startWorker(dir, orders, maximum);
  const marker = `HOLDFAST_WORK_DIR=${dir}`;
  onTestFinished(() => {
    for (const pid of processesWith(marker)) process.kill(pid, 'SIGKILL');
  });
  // The shell, two that escaped, and what they sleep with.
  await eventually('the start of all processes', () => processesWith(marker).length >= 5 * count);
  return { ...pids, marker };
}

const kill = (pid: number) => process.kill(pid, 'SIGKILL');

describe('kill -9', () => {
  test('of the worker ends every process of its jobs, the launchers and the guardian', async () => {
    const { worker, launchers, guardian, marker } = await startWorkerWithEscapees(3, 2);
    kill(worker);
    await eventually('the end of all jobs', () => processesWith(marker).length === 0, 5_000);
    await eventually('the end of the others', () => ![...launchers, guardian].some(isAlive), 5_000);
  });

  test('of the worker and all launchers at once leaves no process of the jobs', async () => {
    const { worker, launchers, guardian, marker } = await startWorkerWithEscapees(4, 2);
    for (const pid of [worker, ...launchers]) process.kill(pid, 'SIGSTOP');
    for (const pid of [worker, ...launchers]) kill(pid);
    await eventually('the end of all jobs', () => processesWith(marker).length === 0, 5_000);
    await eventually('the end of the guardian', () => !isAlive(guardian), 5_000);
  });

  test('of a launcher makes its attempts lost, and nothing of them survives', async () => {
    const world = await launcherWorld();
    const jobs = [world.start(WITH_ESCAPEES), world.start('sleep 600')];
    const marker = `HOLDFAST_WORK_DIR=${world.dir}`;
    const started = await Promise.all(jobs.map((job) => job.started));
    await eventually('the start of all processes', () => processesWith(marker).length >= 6);
    kill(world.launchers.pids.launchers[0]!);
    const notices = await Promise.all(jobs.map((job) => job.ended));
    expect(processesWith(marker)).toEqual([]);
    expect(notices.map((notice) => notice.outcome)).toEqual(jobs.map(() => outcome({ lost: true })));
    expect(notices.map((notice) => notice.startedAt)).toEqual(started.map((notice) => notice.startedAt));
  });

  test('of a launcher while it starts jobs leaves none of them behind', async () => {
    const world = await launcherWorld();
    for (let round = 0; round < 5; round++) {
      const jobs = Array.from({ length: 20 }, () => world.start('sleep 600'));
      await Promise.any(jobs.slice(round * 3).map((job) => job.started));
      kill(world.launchers.pids.launchers[0]!);
      const notices = await Promise.all(jobs.map((job) => job.ended));
      expect(processesWith(`HOLDFAST_WORK_DIR=${world.dir}`)).toEqual([]);
      expect(notices.every((notice) => notice.outcome.lost)).toBe(true);
      await world.run('true');
    }
  });

  test('of a launcher does not end the work: the next order starts another', async () => {
    const world = await launcherWorld();
    const [first] = world.launchers.pids.launchers;
    kill(first!);
    await eventually('the end of the launcher', () => world.launchers.pids.launchers.length === 0);
    expect((await world.run('exit 7')).outcome).toEqual(outcome({ exit_code: 7 }));
    expect(world.launchers.pids.launchers).not.toContain(first);
  });

  test('of a launcher before it was ready loses its attempts; only one that never gets ready charges them', async () => {
    const world = await launcherWorld();
    const endKilled = async () => {
      const job = world.start('true');
      kill(world.launchers.pids.launchers[0]!);
      const { outcome: facts } = await job.ended;
      await eventually('its end', () => world.launchers.pids.launchers.length === 0);
      return facts;
    };
    kill(world.launchers.pids.launchers[0]!);
    await eventually('the end of the first', () => world.launchers.pids.launchers.length === 0);
    for (let killed = 1; killed <= 5; killed += 1) expect(await endKilled()).toEqual(outcome({ lost: true }));
    const refused = await endKilled();
    expect(refused.lost).toBe(false);
    expect(refused.spawn_error).toContain(join(world.dir, 'launcher.log'));
    // One that gets ready begins a new count.
    expect((await world.run('true')).outcome).toEqual(outcome({ exit_code: 0 }));
    kill(world.launchers.pids.launchers[0]!);
    await eventually('the end of that one', () => world.launchers.pids.launchers.length === 0);
    expect(await endKilled()).toEqual(outcome({ lost: true }));
  });

  test('of the first launcher before it was ready: another one is started', async () => {
    const launchers = new Launchers(temporaryDirectory());
    onTestFinished(() => launchers.stop());
    const started = launchers.start();
    const [first] = launchers.pids.launchers;
    kill(first!);
    await started;
    expect(launchers.pids.launchers).toHaveLength(1);
    expect(launchers.pids.launchers).not.toContain(first);
  });

  test('of the guardian is made good with the next order', async () => {
    const world = await launcherWorld();
    const before = world.launchers.pids.guardian!;
    kill(before);
    await eventually('the end of the guardian', () => world.launchers.pids.guardian === null);
    await world.run('true');
    const after = world.launchers.pids.guardian!;
    expect(after).not.toBe(before);
    expect(isAlive(after)).toBe(true);
  });
});

describe('a launcher', () => {
  test('is not ended by SIGTERM, SIGINT or SIGHUP', async () => {
    const world = await launcherWorld();
    const [pid] = world.launchers.pids.launchers;
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(pid!, signal);
    expect((await world.run('exit 8')).outcome.exit_code).toBe(8);
    expect(world.launchers.pids.launchers).toEqual([pid]);
  });

  test('that cannot continue says why and takes its jobs with it', async () => {
    const dir = temporaryDirectory();
    const launcher = spawn(process.execPath, [LAUNCHER_PROGRAM, `broken-${process.pid}.`]);
    let said = '';
    launcher.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const gone = once(launcher, 'close');
    const marker = `HOLDFAST_WORK_DIR=${dir}`;
    launcher.stdin.write(`${JSON.stringify(spawnOrder(dir, 1, WITH_ESCAPEES))}\n`);
    await eventually('the start of all processes', () => processesWith(marker).length >= 5);
    launcher.stdin.write('this is no order\n');
    expect((await gone)[0]).toBe(1);
    expect(said).toContain('SyntaxError');
    await eventually('the end of all jobs', () => processesWith(marker).length === 0);
  });
});

test('a worker that runs as a job stays in the family of that job', async () => {
  const world = await launcherWorld();
  const inner = temporaryDirectory();
  const ordersFile = join(inner, 'orders.json');
  writeFileSync(ordersFile, JSON.stringify([spawnOrder(inner, 1, WITH_ESCAPEES)]));
  const job = world.start(
    `trap '' TERM; '${process.execPath}' '${WORKER_PROGRAM}' '${inner}' '${ordersFile}' 1`,
  );
  const marker = `HOLDFAST_WORK_DIR=${inner}`;
  await eventually('the start of all processes', () => processesWith(marker).length >= 5);
  world.launchers.end(job.token, 'canceled', true);
  await job.ended;
  expect(processesWith(marker)).toEqual([]);
});

test('a full disk gives a clear error, and the launcher continues', async () => {
  const dir = temporaryDirectory();
  const ordersFile = join(dir, 'orders.json');
  const orders = [
    spawnOrder(dir, 1, `: '${'x'.repeat(100_000)}'`),
    spawnOrder(dir, 2, 'head -c 100000 /dev/zero'),
    spawnOrder(dir, 3, 'echo small'),
  ];
  writeFileSync(ordersFile, JSON.stringify(orders));
  // Files end at 32 KB for everything below.
  const worker = spawn(
    'bash',
    ['-c', 'ulimit -f 32; exec "$@"', 'bash', process.execPath, WORKER_PROGRAM, dir, ordersFile, '1'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void worker.kill('SIGKILL'));
  const outcomes = new Map<number, ReturnType<typeof outcome>>();
  for await (const line of createInterface(worker.stdout)) {
    const message = JSON.parse(line);
    if (message.kind === 'ended') outcomes.set(message.token, message.outcome);
    if (outcomes.size === orders.length) break;
  }
  expect(outcomes.get(1)!.spawn_error).toBe(
    `cannot write the script ${orders[0]!.scriptPath}: file too large (EFBIG); raise the file size limit (ulimit -f)`,
  );
  expect(outcomes.get(2)).toEqual(outcome({ signal: 'SIGXFSZ' }));
  expect(outcomes.get(3)).toEqual(outcome({ exit_code: 0 }));
  expect(readFileSync(orders[2]!.stdoutPath, 'utf8')).toBe('small\n');
});
