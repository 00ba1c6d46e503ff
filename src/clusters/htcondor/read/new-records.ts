import { join } from 'node:path';
import type { RunAttempt, RunRef } from '../../../contract/run-engine.ts';
import { RUN_FILE, readRunFile } from '../../../core/dag/run-file.ts';
import { byTime, readPostRecords } from './post-records.ts';
import { readText } from './read-dag-run.ts';

/** Reading takes at most this share of the time, however many units there are. */
const SHARE = 1 / 20;

interface Place {
  /** Paths of records that were returned. */
  returned: Set<string>;
  /** When it may be read again, by the clock of this process. */
  next: number;
}

/** Post records of runs that are under way, each returned once in the life of this process. */
export class NewRecords {
  readonly #places = new Map<string, Place>();

  read({ directory, run }: Pick<RunRef, 'directory' | 'run'>): RunAttempt[] {
    const key = `${run} ${directory}`;
    const place = this.#places.get(key) ?? { returned: new Set<string>(), next: 0 };
    this.#places.set(key, place);
    const began = performance.now();
    if (began < place.next) return [];
    const file = readRunFile(readText(join(directory, RUN_FILE)) ?? '');
    if (file === null) return [];
    const found: RunAttempt[] = [];
    for (const unit of file.kind === 'workflow' ? [''] : file.units) {
      const { records } = readPostRecords(join(directory, unit), run, (name) => {
        const path = join(unit, name);
        return place.returned.has(path) ? null : () => place.returned.add(path);
      });
      found.push(...records.map((record) => ({ unit: unit === '' ? record.node_name : unit, record })));
    }
    const ended = performance.now();
    place.next = ended + (ended - began) / SHARE;
    return found.sort((a, b) => byTime(a.record, b.record));
  }

  /** The run has ended: all of it is read again. */
  forget({ directory, run }: Pick<RunRef, 'directory' | 'run'>): void {
    this.#places.delete(`${run} ${directory}`);
  }
}
