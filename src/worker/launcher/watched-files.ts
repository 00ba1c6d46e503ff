import { lstatSync, renameSync, rmSync } from 'node:fs';
import { type FileFacts, factsOf } from '../../host/look-at-file.ts';
import type { SpawnOrder } from './protocol.ts';

type Order = Pick<SpawnOrder, 'watched' | 'failedSuffix' | 'outputFiles'>;

/** Declared files of one attempt, from right before its start to its end. */
export class WatchedFiles {
  readonly #order: Order;
  readonly #inputs: (FileFacts | null)[];
  /** Outputs that are none of this attempt's making. */
  readonly #older: ReadonlySet<string>;

  constructor(order: Order) {
    this.#order = order;
    this.#inputs = (order.watched ?? []).map(({ role, absolute }) =>
      role === 'input' ? factsOf(absolute) : null,
    );
    this.#older = new Set(
      order.failedSuffix === undefined ? [] : order.outputFiles.filter((path) => exists(path)),
    );
  }

  /** Inputs as they were before the start, outputs as they are; undefined where nothing is watched. */
  facts(): FileFacts[] | undefined {
    return this.#order.watched?.map(({ absolute }, index) => this.#inputs[index] ?? factsOf(absolute));
  }

  /**
   * Removes the outputs that the failed attempt created, or moves them aside. What was there before it stays, also where
   * the attempt changed it, and so does what is no regular file: directories, symbolic links and what they lead to.
   */
  clearFailed(): void {
    const { failedSuffix: suffix, outputFiles } = this.#order;
    if (suffix === undefined) return;
    for (const path of outputFiles) {
      if (this.#older.has(path) || !isRegular(path)) continue;
      try {
        if (suffix === null) rmSync(path);
        else renameSync(path, path + suffix);
      } catch (error) {
        // It stays; the attempt has failed all the same.
        console.error(new Date().toISOString(), 'launcher', process.pid, error);
      }
    }
  }
}

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    // What cannot be looked at may well be there.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

function isRegular(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
