import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const BLOCK = Buffer.alloc(64 * 1024);

/** A file system in memory that can be filled to the last byte. Only root can mount one. */
export class SmallDisk {
  readonly #path: string;
  /** Faults may overlap: it is full until the last one is over. */
  #fills = 0;

  private constructor(path: string) {
    this.#path = path;
  }

  /** Or why there is none. */
  static mount(path: string, megabytes: number): SmallDisk | string {
    if (process.getuid?.() !== 0) return 'only root can mount a small disk';
    mkdirSync(path, { recursive: true });
    const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', path];
    const { status, stderr, error } = spawnSync('mount', options, { encoding: 'utf8' });
    if (status === 0) return new SmallDisk(path);
    return `a small disk cannot be mounted: ${error?.message ?? stderr.trim()}`;
  }

  get isFull(): boolean {
    return this.#fills > 0;
  }

  fill(): void {
    this.#fills += 1;
    const file = openSync(join(this.#path, 'fill'), 'w');
    try {
      // A small last block takes what a large one does not fit into.
      for (const block of [BLOCK, BLOCK.subarray(0, 512)]) {
        try {
          for (;;) writeSync(file, block);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        }
      }
    } finally {
      closeSync(file);
    }
  }

  empty(): void {
    this.#fills -= 1;
    if (this.#fills > 0) return;
    rmSync(join(this.#path, 'fill'), { force: true });
  }

  unmount(): void {
    spawnSync('umount', ['-l', this.#path]);
  }
}
