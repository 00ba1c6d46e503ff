/** What a campaign did and found. */
export class Tally {
  readonly #faults = new Map<string, number>();
  readonly violations: string[] = [];
  readonly skipped = new Set<string>();
  steps = 0;
  workflows = 0;
  requests = 0;
  jobs = 0;
  /** Why successes did not count and their jobs ran again. */
  readonly #repeated = new Map<string, number>();

  count(kind: string, times = 1): void {
    if (times > 0) this.#faults.set(kind, (this.#faults.get(kind) ?? 0) + times);
  }

  repeat(reason: string): void {
    const kind = reason.replaceAll(/\d+/g, 'N');
    this.#repeated.set(kind, (this.#repeated.get(kind) ?? 0) + 1);
  }

  /** Faults of one kind, or of all. */
  faults(kind?: string): number {
    if (kind !== undefined) return this.#faults.get(kind) ?? 0;
    return sum(this.#faults);
  }

  table(minutes: number): string {
    const rows: [string, string][] = [
      ['minutes', minutes.toFixed(1)],
      ['steps', String(this.steps)],
      ['workflows', String(this.workflows)],
      ['requests', String(this.requests)],
      ['jobs', String(this.jobs)],
      ['faults', String(this.faults())],
      ...byCount(this.#faults),
      ['successes that were lost and run again', String(sum(this.#repeated))],
      ...byCount(this.#repeated),
      ['violations', String(this.violations.length)],
    ];
    const width = Math.max(...rows.map(([name]) => name.length));
    const lines = rows.map(([name, value]) => `${name.padEnd(width)}  ${value.padStart(8)}`);
    return [...lines, ...[...this.skipped].map((reason) => `skipped: ${reason}`)].join('\n');
  }
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((before, count) => before + count, 0);
}

function byCount(counts: ReadonlyMap<string, number>): [string, string][] {
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([kind, count]): [string, string] => [`  ${kind}`, String(count)]);
}
