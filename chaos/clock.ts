import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Loaded by Node before the program: the wall clock of the process is ahead of the true one by what a file says. */
const PRELOAD = `'use strict';
const { readFileSync } = require('node:fs');
const Real = Date;
let [offset, readAt] = [0, -1000];
const now = () => {
  if (performance.now() - readAt > 20) {
    readAt = performance.now();
    try { offset = Number(readFileSync(process.env.CHAOS_CLOCK, 'utf8')) || 0; } catch {}
  }
  return Real.now() + offset;
};
globalThis.Date = class Date extends Real {
  constructor(...given) { given.length === 0 ? super(now()) : super(...given); }
  static now() { return now(); }
};
`;

/** The wall clock of one machine, which can be set. Monotonic clocks are left alone, as on a real machine. */
export class MachineClock {
  readonly env: Record<string, string>;
  readonly #file: string;

  constructor(directory: string, name: string) {
    const preload = join(directory, 'clock.cjs');
    this.#file = join(directory, `clock-${name}`);
    writeFileSync(preload, PRELOAD);
    this.set(0);
    this.env = { NODE_OPTIONS: `--require=${preload}`, CHAOS_CLOCK: this.#file };
  }

  set(offsetMs: number): void {
    writeFileSync(this.#file, String(offsetMs));
  }
}
