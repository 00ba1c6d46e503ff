import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { LineWriter, readLines } from './line-stream.ts';
import type { EndedNotice, EndOrder, Notice, SpawnOrder, StartedNotice } from './protocol.ts';

/** Also when this file is run from its source, which plain Node cannot do. */
const MAIN = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? '../../../dist/worker/launcher/main.js' : './main.js',
    import.meta.url,
  ),
);

/** With them it peaks at 49 MB over 600 jobs, without them at 58, and is no faster. */
const NODE_FLAGS = ['--no-opt', '--max-semi-space-size=1', '--v8-pool-size=1'];

interface LauncherProcessOptions {
  markerPrefix: string;
  /** A descriptor for what it says when in trouble. */
  log: number;
  lifeline: Writable | null;
  started(notice: StartedNotice): void;
  ended(notice: EndedNotice): void;
  /** Called once, when the process is gone and everything it said was heard. */
  gone(launcher: LauncherProcess): void;
}

interface Started {
  /** null: it died before it could tell. */
  pid: number | null;
  startedAt: number;
}

/** The worker's handle on one launcher. */
export class LauncherProcess {
  /** Its attempts, from the order to the end; null until they have started. */
  readonly attempts = new Map<number, Started | null>();
  /** Rejects if it is gone before. */
  readonly ready: Promise<void>;
  isReady = false;
  readonly #options: LauncherProcessOptions;
  readonly #child: ChildProcess;
  readonly #orders: LineWriter;
  /** The script of each attempt that was not answered yet. */
  readonly #unanswered = new Map<number, string>();
  #isGone = false;
  #settleReady!: { resolve: () => void; reject: (error: Error) => void };

  constructor(options: LauncherProcessOptions) {
    this.#options = options;
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = { resolve, reject };
    });
    this.ready.catch(() => {});
    // A session of its own: Ctrl-C in a terminal is for the worker alone.
    const child = spawn(process.execPath, [...NODE_FLAGS, MAIN, options.markerPrefix], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'pipe', options.log, options.lifeline ?? 'ignore'],
    });
    this.#child = child;
    this.#orders = new LineWriter(child.stdin!);
    readLines(child.stdout!, (line) => this.#hear(line as Notice));
    child.stdout!.on('error', () => {});
    child.once('error', (error) => this.#gone(error.message));
    child.once('close', (code, signal) => this.#gone(signal ?? `exit ${code}`));
  }

  get pid(): number | null {
    return this.#child.pid ?? null;
  }

  /** Orders to start something that it has not answered yet: how busy it is. */
  get unanswered(): number {
    return this.#unanswered.size;
  }

  spawn(order: SpawnOrder): void {
    this.attempts.set(order.token, null);
    this.#unanswered.set(order.token, order.workDir);
    this.#orders.write(order);
  }

  end(order: EndOrder): void {
    this.#orders.write(order);
  }

  /** Lets it kill what it has, tell, and go. */
  close(): void {
    this.#orders.flush();
    this.#child.stdin!.end();
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #hear(notice: Notice): void {
    if (notice.kind === 'ready') {
      this.isReady = true;
      this.#settleReady.resolve();
      return;
    }
    if (!this.attempts.has(notice.token)) return;
    this.#unanswered.delete(notice.token);
    if (notice.kind === 'started') {
      this.attempts.set(notice.token, notice);
      this.#options.started(notice);
    } else {
      this.attempts.delete(notice.token);
      this.#options.ended(notice);
    }
  }

  #gone(how: string): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#settleReady.reject(new Error(`the launcher could not be started (${how})`));
    for (const [token, path] of this.#unanswered) this.attempts.set(token, startedUnheard(path));
    this.#options.gone(this);
  }
}

/**
 * A command can kill its launcher before that has told of the start. Its work directory was made right
 * before, and without this evidence such an attempt would be free of charge, again and again.
 */
function startedUnheard(workDir: string): Started | null {
  try {
    return { pid: null, startedAt: Math.floor(statSync(workDir).ctimeMs) };
  } catch {
    return null;
  }
}
