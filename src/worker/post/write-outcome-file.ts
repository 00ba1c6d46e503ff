import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { PostOrder } from '../../contract/records/errand.ts';
import type { Claim, FinishReport } from '../../contract/records/exchange.ts';
import type { AttemptOutcome } from '../../core/job/attempt-outcome.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { causeOf, matchCode } from '../../core/job/outcome.ts';
import { makeDirectory } from '../../host/make-directory.ts';
import { attemptFiles, type SpawnSettings } from '../execute/spawn-order.ts';

/** Writes what a post script may know of its attempt. Returns the path; '' if it cannot be written. */
export function writeOutcomeFile(
  claim: Claim,
  report: FinishReport,
  { failures_before }: PostOrder,
  { stateDir, site = 'local' }: SpawnSettings,
): string {
  const { config, requirement } = claim;
  const { outcomePath, reportPath, stdoutPath, stderrPath } = attemptFiles(claim, stateDir);
  const { permanent_code, abort_code, items } = config.post!;
  const facts: AttemptOutcome = {
    node: jobLabel({ name: claim.job_name, scope: claim.scope }),
    run: claim.run_id,
    attempt: claim.attempt_id,
    max_retries: config.retry.max_retries_failure,
    failures_before,
    outcome: report.outcome,
    cause: causeOf(report.outcome),
    match_code: matchCode(report.outcome),
    started_at_ms: report.started_at_ms,
    finished_at_ms: report.finished_at_ms,
    usage: report.usage,
    site,
    logs: { stdout: stdoutPath, stderr: stderrPath },
    report: reportPath,
    items,
    memory_bytes: requirement.memory_bytes,
    runtime_ms: config.timeout_ms,
    permanent_code,
    abort_code,
  };
  try {
    makeDirectory(dirname(outcomePath));
    writeFileSync(outcomePath, JSON.stringify(facts));
    return outcomePath;
  } catch {
    // The script can do without it; a full disk must not keep it from running.
    return '';
  }
}
