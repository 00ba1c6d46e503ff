import { Worker } from 'node:worker_threads';
import { builtFile } from '../core/package-files.ts';
import { readCpuMs } from './cpu-time.ts';
import { CPU_MS, WALL_MS } from './limits.ts';
import type { Task, ThreadData, ThreadMessage } from './main.ts';
import { oneLine, TOO_MUCH_TIME } from './problem.ts';
import { Pulse } from './pulse.ts';

export type SandboxResult = ({ ok: true; value: unknown } | { ok: false; problem: string }) & { ms: number };

/**
 * The stack is far more than QuickJS needs for its own limit: it must always be that limit which is met, because where
 * the stack of the thread ends depends on how far V8 has optimised. Only what is used of it takes memory.
 */
const RESOURCES = { stackSizeMb: 64, maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

/** QuickJS as the first thread of this process compiled it, so that later ones need not. */
let compiled: object | null = null;

interface Evaluation {
  task: Task;
  since: number;
  resolve(result: SandboxResult): void;
}

/** The handle on one thread, and its watcher. */
export class SandboxThread {
  /** Resolves when it can evaluate, or never will. */
  readonly started: Promise<void>;
  readonly ended: Promise<void>;
  /** It is not to be used any more. */
  isGone = false;
  readonly #worker: Worker;
  readonly #pulse = new Pulse();
  #threadId: number | null = null;
  #isReady = false;
  #evaluation: Evaluation | null = null;
  #timer: NodeJS.Timeout | undefined;
  #resolveStarted!: () => void;

  constructor() {
    this.started = new Promise((resolve) => {
      this.#resolveStarted = resolve;
    });
    this.#worker = new Worker(builtFile('sandbox'), {
      workerData: { pulse: this.#pulse.buffer, compiled } satisfies ThreadData,
      env: {},
      execArgv: [],
      resourceLimits: RESOURCES,
    });
    this.#worker.on('message', (message: ThreadMessage) => this.#hear(message));
    this.#worker.on('error', (error) => this.#gone(`the sandbox failed: ${error.message}`));
    this.ended = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#gone('the sandbox failed: its thread ended');
        resolve();
      });
    });
    // It is waited for while it evaluates, and only then. A listener that is added later would undo this.
    this.#worker.unref();
  }

  /** One at a time. */
  run(task: Task): Promise<SandboxResult> {
    return new Promise((resolve) => {
      this.#evaluation = { task, since: performance.now(), resolve };
      this.#worker.ref();
      if (this.#isReady) this.#begin();
      else this.#timer = setTimeout(() => this.end('the sandbox did not start'), WALL_MS);
    });
  }

  /** What it evaluates ends with this problem. */
  async end(problem: string): Promise<void> {
    this.#gone(problem);
    await this.#worker.terminate();
  }

  #hear(message: ThreadMessage): void {
    if (message.kind === 'ready') {
      this.#threadId = message.threadId;
      compiled = message.compiled;
      this.#isReady = true;
      this.#resolveStarted();
      if (this.#evaluation) this.#begin();
      return;
    }
    const { answer, ms } = message;
    this.#settle(answer.ok ? { ok: true, value: JSON.parse(answer.json), ms } : { ...answer, ms });
  }

  #begin(): void {
    const evaluation = this.#evaluation!;
    evaluation.since = performance.now();
    this.#worker.postMessage(evaluation.task);
    this.#watchIn(CPU_MS);
  }

  #watchIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#watch(), ms);
  }

  /**
   * On a busy machine innocent code can be made to wait for a long time. So it is not the time that has passed which
   * ends it but the CPU time that it has used, and beats of the machine show how much of it was to be expected.
   */
  #watch(): void {
    const { since } = this.#evaluation!;
    const remaining = this.#pulse.remaining(readCpuMs(this.#threadId));
    if (remaining <= 0 || performance.now() - since >= WALL_MS) void this.end(TOO_MUCH_TIME);
    else this.#watchIn(remaining);
  }

  #gone(problem: string): void {
    this.isGone = true;
    this.#resolveStarted();
    const ms = this.#evaluation ? performance.now() - this.#evaluation.since : 0;
    this.#settle({ ok: false, problem: oneLine(problem), ms });
  }

  #settle(result: SandboxResult): void {
    clearTimeout(this.#timer);
    this.#worker.unref();
    const evaluation = this.#evaluation;
    this.#evaluation = null;
    evaluation?.resolve(result);
  }
}
