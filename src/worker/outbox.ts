import type { Exchange } from '../core/exchange.ts';

export type Reports = Pick<Exchange, 'started' | 'finished' | 'recovered' | 'acted' | 'evaluated'>;

/** What a worker has to tell the engine with the next exchange. */
export class Outbox {
  private reports: Reports = emptyReports();

  /** Reports that must not wait. A start may: it is told with whatever comes next. */
  get urgent(): number {
    const { finished, recovered, acted, evaluated } = this.reports;
    return finished.length + recovered.length + acted.length + evaluated.length;
  }

  add<K extends keyof Reports>(kind: K, report: Reports[K][number]): void {
    (this.reports[kind] as Reports[K][number][]).push(report);
  }

  /** Everything, once. The start of what has ended already is in the report of its end. */
  take(): Reports {
    const { started, ...reports } = this.reports;
    this.reports = emptyReports();
    const ended = new Set(reports.finished.map(({ token }) => token));
    return { ...reports, started: started.filter(({ token }) => !ended.has(token)) };
  }
}

function emptyReports(): Reports {
  return { started: [], finished: [], recovered: [], acted: [], evaluated: [] };
}
