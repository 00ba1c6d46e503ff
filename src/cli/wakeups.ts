import { type FSWatcher, watch } from 'node:fs';
import { Changes } from '../client/changes.ts';
import type { Engine } from '../contract/engine.ts';

/** Waits for something to look at again: a commit, a change of a file, or a slow poll; until the signal aborts. */
export class Wakeups {
  readonly #changes: Changes;
  readonly #signal: AbortSignal;
  #watcher: FSWatcher | null = null;

  constructor(engine: Engine, signal: AbortSignal) {
    this.#changes = new Changes(engine);
    this.#signal = signal;
    signal.addEventListener('abort', this.#end);
    if (signal.aborted) this.#end();
  }

  /** Also wakes when the file changes. One that cannot be watched is polled. */
  watchFile(path: string): void {
    try {
      this.#watcher = watch(path, this.#changes.notify);
      this.#watcher.on('error', () => {});
    } catch {
      // It does not exist yet, or the system has no watches left.
    }
  }

  get isWatching(): boolean {
    return this.#watcher !== null;
  }

  forgetFile(): void {
    this.#watcher?.close();
    this.#watcher = null;
  }

  /** Resolves at the next wake-up, at once if one came since the last call or the signal is aborted. */
  next(): Promise<void> {
    return this.#changes.next();
  }

  stop(): void {
    this.#end();
    this.forgetFile();
    this.#signal.removeEventListener('abort', this.#end);
  }

  readonly #end = (): void => this.#changes.stop();
}
