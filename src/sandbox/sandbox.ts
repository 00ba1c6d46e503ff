import type { CodeKind, EvaluationInputs } from '../core/job/evaluation.ts';
import { CODE_BYTES, INPUT_BYTES } from './limits.ts';
import type { Task } from './main.ts';
import { oneLine, STOPPED, TOO_MUCH_CODE, TOO_MUCH_INPUT } from './problem.ts';
import { type SandboxResult, SandboxThread } from './sandbox-thread.ts';

export type { SandboxResult };

interface Waiting {
  task: Task;
  resolve(result: SandboxResult): void;
}

/**
 * Evaluates code that nobody has to trust. The calling thread never waits for it, and neither loads nor runs any of
 * it; whatever the code does is a result. Equal code, inputs and facts give equal results, on a busy machine too; only
 * near the limit of CPU time (see `CPU_MS`) that cannot be promised.
 */
export class Sandbox {
  readonly #queue: Waiting[] = [];
  #isWorking = false;
  #isStopped = false;
  /** All that live, also those that are being terminated. */
  readonly #threads = new Set<SandboxThread>();
  #active: SandboxThread | null = null;
  /**
   * Takes over when the active thread had to be terminated, so that the next evaluation need not wait for a start. Most
   * code is harmless: there is none before the first thread had to be terminated.
   */
  #spare: SandboxThread | null = null;

  /** Starts the thread, which the first evaluation would otherwise wait for. */
  warm(): void {
    if (this.#isStopped) return;
    try {
      this.#thread();
    } catch {
      // The evaluation will show it.
    }
  }

  /** One at a time, in the order of the calls. Rejects only if the inputs are not plain data. */
  async evaluate(
    code: string,
    kind: CodeKind,
    inputs: EvaluationInputs,
    facts: { now: number; seed: number },
  ): Promise<SandboxResult> {
    if (Buffer.byteLength(code) > CODE_BYTES) return failure(TOO_MUCH_CODE);
    const task = taskOf(code, kind, inputs, facts);
    if (Buffer.byteLength(task.facts) > INPUT_BYTES) return failure(TOO_MUCH_INPUT);
    if (this.#isStopped) return failure(STOPPED);
    return new Promise((resolve) => {
      this.#queue.push({ task, resolve });
      if (!this.#isWorking) void this.#work();
    });
  }

  /** What is not evaluated yet ends as a failure. Resolves when no thread is left. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { resolve } of this.#queue.splice(0)) resolve(failure(STOPPED));
    await Promise.all([...this.#threads].map((thread) => thread.end(STOPPED)));
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      next.resolve(await this.#run(next.task));
      if (this.#active?.isGone) this.warm();
    }
    this.#isWorking = false;
  }

  async #run(task: Task): Promise<SandboxResult> {
    try {
      return await this.#thread().run(task);
    } catch (error) {
      return failure(oneLine(`the sandbox cannot be started: ${(error as Error).message}`));
    }
  }

  #thread(): SandboxThread {
    if (this.#active && !this.#active.isGone) return this.#active;
    const isFirst = this.#active === null;
    const active = this.#spare && !this.#spare.isGone ? this.#spare : this.#start();
    this.#active = active;
    this.#spare = null;
    // One start at a time: the next evaluation is waiting for the active one.
    if (!isFirst) void active.started.then(() => this.#startSpare(active));
    return active;
  }

  #startSpare(active: SandboxThread): void {
    if (this.#spare || this.#isStopped || active.isGone || active !== this.#active) return;
    try {
      this.#spare = this.#start();
    } catch {
      // It can do without.
    }
  }

  #start(): SandboxThread {
    const thread = new SandboxThread();
    this.#threads.add(thread);
    void thread.ended.then(() => this.#threads.delete(thread));
    return thread;
  }
}

/** A name that is not in the code, not even disguised by an escape, cannot be used by it: its value is not sent. */
function taskOf(
  code: string,
  kind: CodeKind,
  inputs: EvaluationInputs,
  { now, seed }: { now: number; seed: number },
): Task {
  const names = (Object.keys(inputs) as (keyof EvaluationInputs)[]).filter(
    (name) => code.includes(name) || code.includes('\\u'),
  );
  const named = Object.fromEntries(names.map((name) => [name, inputs[name]]));
  return { code, kind, names, facts: JSON.stringify({ now, seed, inputs: named }) };
}

function failure(problem: string): SandboxResult {
  return { ok: false, problem, ms: 0 };
}
