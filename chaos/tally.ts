/** What a campaign did and found. */
export class Tally {
  readonly #faults = new Map<string, number>();
  readonly violations: string[] = [];
  readonly skipped = new Set<string>();
  steps = 0;
  workflows = 0;
  requests = 0;
  jobs = 0;
  repeated = 0;

  count(kind: string, times = 1): void {
    if (times > 0) this.#faults.set(kind, (this.#faults.get(kind) ?? 0) + times);
  }

  /** Faults of one kind, or of all. */
  faults(kind?: string): number {
    if (kind !== undefined) return this.#faults.get(kind) ?? 0;
    return [...this.#faults.values()].reduce((sum, count) => sum + count, 0);
  }

  table(minutes: number): string {
    const rows: [string, string][] = [
      ['minutes', minutes.toFixed(1)],
      ['steps', String(this.steps)],
      ['workflows', String(this.workflows)],
      ['requests', String(this.requests)],
      ['jobs', String(this.jobs)],
      ['faults', String(this.faults())],
      ...[...this.#faults]
        .sort(([, a], [, b]) => b - a)
        .map(([kind, count]): [string, string] => [`  ${kind}`, String(count)]),
      ['successes lost with their worker, and run again', String(this.repeated)],
      ['violations', String(this.violations.length)],
    ];
    const width = Math.max(...rows.map(([name]) => name.length));
    const lines = rows.map(([name, value]) => `${name.padEnd(width)}  ${value.padStart(8)}`);
    return [...lines, ...[...this.skipped].map((reason) => `skipped: ${reason}`)].join('\n');
  }
}
