import type { ErrandReport } from '../../contract/records/errand.ts';
import type { Claim, FinishReport } from '../../contract/records/exchange.ts';
import type { EndedNotice } from '../launcher/protocol.ts';
import { completeReport, isIncomplete } from './complete-report.ts';
import { FileHashes } from './file-hashes.ts';
import { hasMarkedOutputs, leavesMarks, markFiles, markOutputs, readInputsAhead } from './mark-files.ts';
import type { PatternMatcher } from './pattern-matcher.ts';

/** Reads what has to be read of an attempt before its end can be reported: its output, its stderr and its files. */
export class ReportReader {
  readonly #stateDir: string;
  readonly #patterns: PatternMatcher;
  readonly #hashes = new FileHashes();

  constructor(stateDir: string, patterns: PatternMatcher) {
    this.#stateDir = stateDir;
    this.#patterns = patterns;
  }

  /** Its inputs are read while it runs. */
  started(claim: Claim): void {
    readInputsAhead(claim, this.#hashes);
  }

  /** Adds what is read to the report; null if there is nothing to be read. */
  complete(claim: Claim, report: FinishReport, notice: EndedNotice): Promise<void> | null {
    const isMarked = leavesMarks(claim, notice);
    return isMarked || isIncomplete(claim, report.outcome)
      ? this.#complete(claim, report, isMarked ? notice : null)
      : null;
  }

  /** A post script may have changed the outputs of its attempt. */
  completePost(claim: Claim | undefined, report: ErrandReport): Promise<void> | null {
    if (report.kind !== 'post' || claim === undefined || !hasMarkedOutputs(claim)) return null;
    return markOutputs(claim, this.#hashes).then((files) => {
      report.files = files;
    });
  }

  /** Nobody waits any longer: what has ended is reported without the hashes that are missing. */
  stop(): Promise<void> {
    return this.#hashes.stop();
  }

  async #complete(claim: Claim, report: FinishReport, marked: EndedNotice | null): Promise<void> {
    const files = marked === null ? null : markFiles(claim, marked, this.#hashes);
    if (isIncomplete(claim, report.outcome)) {
      await completeReport(claim, report, this.#stateDir, this.#patterns);
    }
    if (files !== null) report.files = await files;
  }
}

/** What a launcher says of an end, as a report. */
export function reportOf({
  token,
  startedAt,
  finishedAt,
  outcome,
  usage,
  samples,
}: EndedNotice): FinishReport {
  return {
    token,
    started_at_ms: startedAt,
    finished_at_ms: finishedAt,
    outcome,
    usage,
    ...(samples && { samples }),
  };
}
