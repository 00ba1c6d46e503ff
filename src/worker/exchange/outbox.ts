import type { Exchange, FinishReport } from '../../contract/records/exchange.ts';

export type Reports = Pick<Exchange, 'started' | 'finished' | 'errands'>;

/** What one exchange carries of ends: many after a server was away, and what they put out can be large. */
const MOST_FINISHED = 1_000;
const MOST_OUTPUT = 4 * 1024 * 1024;

/** What a worker reports to the engine with the next exchange. */
export class Outbox {
  #reports: Reports = emptyReports();

  /** Reports that must not wait. A start may: it is reported with whatever comes next. */
  get urgent(): number {
    return this.#reports.finished.length + this.#reports.errands.length;
  }

  add<K extends keyof Reports>(kind: K, report: Reports[K][number]): void {
    (this.#reports[kind] as Reports[K][number][]).push(report);
  }

  /** Everything that fits, once. The start of what has ended already is in the report of its end. */
  take(): Reports {
    const { started, ...reports } = this.#reports;
    this.#reports = emptyReports();
    const ended = new Set(reports.finished.map(({ token }) => token));
    this.#reports.finished = reports.finished.splice(fitting(reports.finished));
    return { ...reports, started: started.filter(({ token }) => !ended.has(token)) };
  }
}

/** How many of the reports go into one exchange; at least one. */
function fitting(finished: FinishReport[]): number {
  let output = 0;
  let count = 0;
  for (const report of finished) {
    if (report.output !== undefined || report.user_data !== undefined || report.files !== undefined) {
      output += JSON.stringify([report.output, report.user_data, report.files]).length;
    }
    if (count > 0 && (count === MOST_FINISHED || output > MOST_OUTPUT)) break;
    count += 1;
  }
  return count;
}

export function emptyReports(): Reports {
  return { started: [], finished: [], errands: [] };
}
