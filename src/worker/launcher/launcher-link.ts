import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { builtFile } from '../../core/package-files.ts';
import { withoutCertificates } from './certificates.ts';
import { LineWriter, readLines } from './line-stream.ts';
import type { Notice, Order } from './protocol.ts';

/** The way to one launcher, and back. */
export interface LauncherLink {
  readonly pid: number | null;
  send(order: Order): void;
  /** Lets it kill what it has, report, and leave. */
  close(): void;
  kill(): void;
}

export interface LinkCallbacks {
  hear(notice: Notice): void;
  /** Called once, when the process is gone and everything it said was heard. */
  gone(how: string, wasKilled: boolean): void;
}

/** What another process ends it with; a launcher that crashes ends by other signals. */
const KILLS: readonly (NodeJS.Signals | null)[] = ['SIGKILL', 'SIGTERM'];

const MAIN = fileURLToPath(builtFile('launcher'));

/** It keeps little and for a short time. */
const NODE_FLAGS = ['--max-semi-space-size=1', '--v8-pool-size=1'];

interface StartOptions {
  markerPrefix: string;
  /** A descriptor for what it says when in trouble. */
  log: number;
  lifeline: Writable | null;
  /** Where it waits for the next worker; null: it dies with this one. */
  socketPath: string | null;
}

/** Starts a launcher. */
export function startLauncher(options: StartOptions, callbacks: LinkCallbacks): LauncherLink {
  const { markerPrefix, socketPath, log, lifeline } = options;
  const names = socketPath === null ? [markerPrefix] : [markerPrefix, socketPath];
  // A session of its own: Ctrl-C in a terminal is for the worker alone.
  const child: ChildProcess = spawn(process.execPath, [...NODE_FLAGS, MAIN, ...names], {
    cwd: '/',
    detached: true,
    env: withoutCertificates(process.env),
    stdio: ['pipe', 'pipe', log, lifeline ?? 'ignore'],
  });
  const orders = new LineWriter(child.stdin!);
  readLines(child.stdout!, (line) => callbacks.hear(line as Notice));
  child.stdout!.on('error', () => {});
  let isGone = false;
  const gone = (how: string, wasKilled = false) => {
    if (!isGone) callbacks.gone(how, wasKilled);
    isGone = true;
  };
  child.once('error', (error) => gone(error.message));
  child.once('close', (code, signal) => gone(signal ?? `exit ${code}`, KILLS.includes(signal)));
  return {
    pid: child.pid ?? null,
    send: (order) => orders.write(order),
    close() {
      if (socketPath !== null) orders.write({ kind: 'close' } satisfies Order);
      orders.flush(() => socketPath === null && child.stdin!.end());
    },
    kill: () => child.kill('SIGKILL'),
  };
}
