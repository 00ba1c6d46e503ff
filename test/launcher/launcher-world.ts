import { EventEmitter, once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { Launchers } from '../../src/worker/execute/launchers.ts';
import { readProcessTable } from '../../src/worker/launcher/kill/process-table.ts';
import type { EndedNotice, SpawnOrder, StartedNotice } from '../../src/worker/launcher/protocol.ts';

export interface RunningJob {
  token: number;
  order: SpawnOrder;
  started: Promise<StartedNotice>;
  ended: Promise<EndedNotice>;
}

export interface LauncherWorld {
  dir: string;
  launchers: Launchers;
  /** Every notice of an end, in order. */
  endings: EndedNotice[];
  start(script: string, changes?: Partial<SpawnOrder>): RunningJob;
  run(script: string, changes?: Partial<SpawnOrder>): Promise<EndedNotice>;
  /** What the job has written so far. */
  stdout(job: RunningJob): string;
}

export function temporaryDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-launcher-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export function spawnOrder(dir: string, token: number, script: string): SpawnOrder {
  const workDir = join(dir, 'work', `attempt_${token}`);
  return {
    kind: 'spawn',
    token,
    script,
    scriptPath: join(dir, 'scripts', `${token}.sh`),
    cwd: dir,
    env: { HOLDFAST_WORK_DIR: workDir },
    stdoutPath: join(dir, 'logs', `${token}.o`),
    stderrPath: join(dir, 'logs', `${token}.e`),
    workDir,
    checkpointDir: join(dir, 'checkpoints', String(token)),
    isFirst: true,
    cleanUp: 'never',
    directories: [join(dir, 'scripts'), join(dir, 'logs')],
    timeoutMs: null,
    memoryBytes: null,
    enforceMemory: true,
    endSignal: 'SIGTERM',
    graceMs: 10_000,
    sampleMs: null,
    outputFiles: [],
  };
}

/** Launchers in a directory of their own, stopped after the test. */
export async function launcherWorld(maximum = 1): Promise<LauncherWorld> {
  const dir = temporaryDirectory();
  const endings: EndedNotice[] = [];
  const waiting = new Map<number, (notice: StartedNotice | EndedNotice) => void>();
  const launchers = new Launchers(dir, maximum);
  launchers.listen({
    started: (notice) => waiting.get(notice.token)?.(notice),
    ended: (notice) => {
      endings.push(notice);
      waiting.get(notice.token)?.(notice);
    },
  });
  onTestFinished(() => launchers.stop());
  await launchers.start();
  let lastToken = 0;
  const start = (script: string, changes: Partial<SpawnOrder> = {}): RunningJob => {
    const token = ++lastToken;
    const order = { ...spawnOrder(dir, token, script), ...changes };
    const notices = new EventEmitter();
    waiting.set(token, (notice) => notices.emit(notice.kind, notice));
    const job: RunningJob = {
      token,
      order,
      started: once(notices, 'started').then(([notice]) => notice),
      ended: once(notices, 'ended').then(([notice]) => notice),
    };
    launchers.spawn(order);
    return job;
  };
  return {
    dir,
    launchers,
    endings,
    start,
    run: (script, changes) => start(script, changes).ended,
    stdout: ({ order }) => (existsSync(order.stdoutPath) ? readFileSync(order.stdoutPath, 'utf8') : ''),
  };
}

/** Live processes whose environment contains the text. */
export function processesWith(text: string): number[] {
  const { processes, environment } = readProcessTable(new Set());
  return [...processes.keys()].filter((pid) => environment(pid)?.includes(text));
}

export function isAlive(pid: number): boolean {
  return readProcessTable(new Set()).processes.has(pid);
}

/** Waits until the check holds; fails after the deadline. */
export async function eventually(what: string, check: () => boolean, deadlineMs = 10_000): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!check()) {
    if (performance.now() > deadline) expect.fail(`${what} did not happen within ${deadlineMs} ms`);
    await sleep(20);
  }
}
