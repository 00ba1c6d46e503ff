import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { makeDirectory } from '../../../host/make-directory.ts';
import { isErrno } from './describe-failure.ts';

/** Enough for the attempts that end between two starts. */
const MAX_SPARES = 8;

/**
 * Empty directories of ended attempts, used again under another name: a rename costs 23 µs where removing
 * one and making another cost 165 µs, and much more while the database is being synced to the same disk.
 */
export class DirectoryPool {
  readonly #spares: string[] = [];

  /** Makes an empty directory; what was there before is removed. */
  makeFresh(path: string): void {
    if (this.#reuse(path)) return;
    try {
      mkdirSync(path);
    } catch (error) {
      if (isErrno(error, 'EEXIST')) rmSync(path, { recursive: true, force: true });
      else if (!isErrno(error, 'ENOENT')) throw error;
      makeDirectory(path);
    }
  }

  /** Makes the directory if it is not there. */
  make(path: string, mayExist: boolean): void {
    if (!mayExist && this.#reuse(path)) return;
    makeDirectory(path);
  }

  /**
   * The directory is no longer needed. It is used again only if nobody can be at home in it: a process that was
   * left behind would otherwise write into that of another attempt.
   */
  remove(path: string, mayReuse: boolean): void {
    if (!mayReuse || !this.removeIfEmpty(path)) rmSync(path, { recursive: true, force: true });
  }

  /** False if something is in it, or it is gone. */
  removeIfEmpty(path: string): boolean {
    try {
      if (readdirSync(path).length > 0) return false;
      if (this.#spares.length < MAX_SPARES) this.#spares.push(path);
      else rmdirSync(path);
      return true;
    } catch {
      return false;
    }
  }

  /** Removes the spares. */
  close(): void {
    for (const spare of this.#spares.splice(0)) {
      try {
        rmdirSync(spare);
      } catch {
        // Another process removed it, or put something into it.
      }
    }
  }

  /** A rename over a directory with something in it fails, so a stale one is noticed. */
  #reuse(path: string): boolean {
    for (let spare = this.#spares.pop(); spare !== undefined; spare = this.#spares.pop()) {
      try {
        renameSync(spare, path);
        return true;
      } catch (error) {
        if (isErrno(error, 'ENOTEMPTY') || isErrno(error, 'EEXIST')) {
          this.#spares.push(spare);
          return false;
        }
        // The spare or the place for the new one is gone; without spares the plain way shows what is wrong.
      }
    }
    return false;
  }
}
