import type { Place, SpecPath } from './problem.ts';

export interface Finding {
  path: SpecPath;
  message: string;
  /** Point at the key instead of at its value. */
  atKey?: boolean;
  /** A place inside the text at `path`, for code and templates. */
  inside?: Place;
}

/** Everything noticed about one spec. Places are worked out only for what is reported. */
export class Findings {
  readonly errors: Finding[] = [];
  readonly warnings: Finding[] = [];
  readonly unsupported: Finding[] = [];
  readonly #seen = new Set<string>();

  error(path: SpecPath, message: string, more: Pick<Finding, 'atKey' | 'inside'> = {}): void {
    const key = `${path.join('\0')}\0\0${message}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.errors.push({ path, message, ...more });
  }

  /** For mistakes that each expansion of a sweep repeats in other words: the first one is told. */
  errorOnce(path: SpecPath, message: string): void {
    const key = path.join('\0');
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.errors.push({ path, message });
  }

  warn(path: SpecPath, message: string): void {
    this.warnings.push({ path, message });
  }

  notYet(path: SpecPath, feature: string): void {
    this.unsupported.push({ path, message: feature, atKey: true });
  }
}
