import { HoldfastError } from '../core/errors.ts';
import { run, type Script } from '../store/script.ts';
import type { Store } from '../store/store.ts';

/** With less, the next write may be the one that fails. */
const LEAST_FREE_BYTES = 1024 * 1024;

/** Remembers that the disk was full, until a write shows that it is not any more. */
export class WatchedStore implements Store {
  readonly holdsThread: boolean;
  #wasFull = false;
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
    this.holdsThread = store.holdsThread === true;
  }

  read<T>(script: (now: number) => Script<T>): Promise<T> {
    return this.#store.read(script);
  }

  async write<T>(script: (now: number) => Script<T>): Promise<T> {
    try {
      return await this.#store.write(script);
    } catch (error) {
      if (error instanceof HoldfastError && error.code === 'DISK_FULL') this.#wasFull = true;
      throw error;
    }
  }

  freeBytes(): number | null {
    return this.#store.freeBytes();
  }

  backup(path: string): Promise<void> {
    return this.#store.backup(path);
  }

  /** Rejects while there is no space. What was full must be written to: a write that finds no row needs no space. */
  async probe(): Promise<void> {
    const free = this.freeBytes();
    if (free !== null && free < LEAST_FREE_BYTES) {
      throw new HoldfastError('DISK_FULL', { problem: `${free} bytes are left` });
    }
    if (!this.#wasFull) return this.#store.read(() => run('select 1 as alive'));
    await this.write(() => run('update schema_version set version = version'));
    this.#wasFull = false;
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
