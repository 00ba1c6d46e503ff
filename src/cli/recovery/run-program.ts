import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { signalGroup } from '../../worker/launcher/kill/signal-process.ts';

export interface ProgramOrder {
  /** Program and arguments. */
  command: [string, ...string[]];
  env?: Record<string, string>;
  /** What it reads from stdin. */
  input: string;
  /** null: as long as it takes. */
  timeoutMs: number | null;
  /** Between SIGTERM and SIGKILL. */
  graceMs: number;
  /** Ends it. */
  signal: AbortSignal;
  /** What it writes to stdout and stderr, in the order in which it arrives. */
  onOutput: (chunk: Buffer) => void;
}

/** How a program ended. */
export interface ProgramEnd {
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  interrupted: boolean;
  /** Why it could not be started; null if it was. */
  problem: string | null;
  durationMs: number;
}

/** How often a group is looked at whose leader has ended. */
const LOOK_EVERY_MS = 20;
/** How long output may come in after everything has ended. */
const DRAIN_MS = 500;

/** Runs a program as the leader of its own process group. Nothing of the group is left when it returns. */
export async function runProgram(order: ProgramOrder): Promise<ProgramEnd> {
  const [file, ...args] = order.command;
  const startedAt = performance.now();
  const child = spawn(file, args, {
    env: { ...process.env, ...order.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  child.stdin.on('error', () => {}).end(order.input);
  child.stdout.on('data', order.onOutput);
  child.stderr.on('data', order.onOutput);
  const closed = new Promise((resolve) => child.once('close', resolve));

  let timedOut = false;
  let ending: NodeJS.Timeout | undefined;
  const end = () => {
    if (child.pid === undefined || ending !== undefined) return;
    signalGroup(child.pid, 'SIGTERM');
    ending = setTimeout(() => signalGroup(child.pid!, 'SIGKILL'), order.graceMs);
  };
  const limit =
    order.timeoutMs === null
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          end();
        }, order.timeoutMs);
  order.signal.addEventListener('abort', end);
  if (order.signal.aborted) end();

  const ended = await new Promise<Pick<ProgramEnd, 'exitCode' | 'signal' | 'problem'>>((resolve) => {
    child.once('error', (error) => resolve({ exitCode: null, signal: null, problem: error.message }));
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal, problem: null }));
  });
  clearTimeout(limit);
  order.signal.removeEventListener('abort', end);
  if (child.pid !== undefined) await endGroup(child.pid, order.graceMs);
  clearTimeout(ending);
  await Promise.race([closed, sleep(DRAIN_MS, undefined, { ref: false })]);
  // After this process stood still, the timer comes before the output that is already there.
  await new Promise((resolve) => setImmediate(resolve));
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
  return {
    ...ended,
    timedOut,
    interrupted: order.signal.aborted,
    durationMs: performance.now() - startedAt,
  };
}

/** What the leader left behind must not continue to decide or change things. */
async function endGroup(leader: number, graceMs: number): Promise<void> {
  signalGroup(leader, 'SIGTERM');
  const killAt = performance.now() + graceMs;
  for (let killed = false; isGroupAlive(leader); ) {
    if (!killed && performance.now() >= killAt) {
      killed = true;
      signalGroup(leader, 'SIGKILL');
    }
    if (performance.now() >= killAt + graceMs + DRAIN_MS) return;
    await sleep(LOOK_EVERY_MS);
  }
}

function isGroupAlive(leader: number): boolean {
  try {
    process.kill(-leader, 0);
    return true;
  } catch {
    return false;
  }
}
