import type { Place, SpecPath } from './problem.ts';

export interface Finding {
  path: SpecPath;
  message: string;
  /** Point at the key instead of at its value. */
  atKey?: boolean;
  /** A place inside the text at `path`, for code and templates. */
  inside?: Place;
}

/** More mistakes than this at one place are one mistake with many values. */
const MANY = 3;

/** Everything noticed about one spec. Places are worked out only for what is reported. */
export class Findings {
  readonly errors: Finding[] = [];
  readonly warnings: Finding[] = [];
  /** Keys that were accepted and have no effect. */
  readonly notes: Finding[] = [];
  readonly #seen = new Set<string>();
  readonly #reportedAt = new Map<string, number>();

  error(path: SpecPath, message: string, more: Pick<Finding, 'atKey' | 'inside'> = {}): void {
    const key = `${path.join('\0')}\0\0${message}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.errors.push({ path, message, ...more });
  }

  /** For mistakes that expansions of a sweep may repeat with other values: the first few of a place are reported. */
  expansionError(path: SpecPath, message: string): void {
    const place = path.join('\0');
    const key = `${place}\0\0${message.replace(/\d+/g, '0')}`;
    const reported = this.#reportedAt.get(place) ?? 0;
    if (this.#seen.has(key) || reported >= MANY) return;
    this.#seen.add(key);
    this.#reportedAt.set(place, reported + 1);
    this.errors.push({ path, message });
  }

  warn(path: SpecPath, message: string): void {
    this.warnings.push({ path, message });
  }

  note(path: SpecPath, message: string): void {
    this.notes.push({ path, message, atKey: true });
  }
}
