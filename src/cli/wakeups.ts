import { type FSWatcher, watch } from 'node:fs';
import type { Engine } from '../core/engine.ts';

/** The safety net: a wait is over after this long even if nothing was told. */
const POLL_MS = 1000;

/** Waits for something to look at again: a commit, a change of a file, or a slow poll. */
export class Wakeups {
  private readonly unsubscribe: () => void;
  private readonly poll: NodeJS.Timeout;
  private readonly signal: AbortSignal;
  private watcher: FSWatcher | null = null;
  private missed = false;
  private wake: (() => void) | null = null;

  constructor(engine: Engine, signal: AbortSignal) {
    this.signal = signal;
    this.unsubscribe = engine.onChange(this.tell);
    this.poll = setInterval(this.tell, POLL_MS);
    signal.addEventListener('abort', this.tell);
  }

  /** Also wakes when the file changes. One that cannot be watched is polled. */
  watchFile(path: string): void {
    try {
      this.watcher = watch(path, this.tell);
      this.watcher.on('error', () => {});
    } catch {
      // It does not exist yet, or the system has no watches left.
    }
  }

  get isWatching(): boolean {
    return this.watcher !== null;
  }

  forgetFile(): void {
    this.watcher?.close();
    this.watcher = null;
  }

  /** Resolves at the next wake-up, at once if one came since the last call or the signal is aborted. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.missed || this.signal.aborted) {
        this.missed = false;
        resolve();
      } else {
        this.wake = resolve;
      }
    });
  }

  stop(): void {
    clearInterval(this.poll);
    this.unsubscribe();
    this.forgetFile();
    this.signal.removeEventListener('abort', this.tell);
  }

  private readonly tell = (): void => {
    if (this.wake === null) {
      this.missed = true;
      return;
    }
    const wake = this.wake;
    this.wake = null;
    wake();
  };
}
