import type { Claim, FinishReport } from '../core/engine.ts';
import { causeOf, type Outcome } from '../core/outcome.ts';
import { matchStderr } from './match-stderr.ts';
import { attemptFiles } from './spawn-order.ts';
import { readStepOutput } from './step-output.ts';
import { readUserData, removeUserDataDirectories } from './user-data-files.ts';

/** Whether anything of an ended attempt has to be read before it can be reported. */
export function isIncomplete({ config, stderr_patterns }: Claim, facts: Outcome): boolean {
  if (config.userData.outputs.length > 0) return true;
  if (config.output !== null && causeOf(facts) === null) return true;
  return stderr_patterns.length > 0 && isFailure(facts);
}

/** Adds what has to be read: what the attempt put out, and what its stderr says of a failure. */
export async function completeReport(claim: Claim, report: FinishReport, stateDir: string): Promise<void> {
  const { stdoutPath, stderrPath } = attemptFiles(claim, stateDir);
  await addOutput(claim, report, stdoutPath);
  await addUserData(claim, report, stateDir);
  if (claim.stderr_patterns.length > 0 && isFailure(report.outcome)) {
    report.stderr_matches = await matchStderr(stderrPath, claim.stderr_patterns);
  }
}

async function addOutput({ config }: Claim, report: FinishReport, stdoutPath: string): Promise<void> {
  if (config.output === null || causeOf(report.outcome) !== null) return;
  const read = await readStepOutput(stdoutPath, config.output).catch((error: Error) => ({
    ok: false as const,
    problem: `its stdout (${error.message})`,
  }));
  if (read.ok) report.output = read.output;
  else addMissing(report, [read.problem]);
}

async function addUserData(claim: Claim, report: FinishReport, stateDir: string): Promise<void> {
  if (claim.config.userData.outputs.length === 0) return;
  const cause = causeOf(report.outcome);
  // Also beside missing files: a post script may accept those.
  if (cause === null || cause === 'missing_output') {
    const { values, missing } = await readUserData(claim, stateDir);
    report.user_data = values;
    addMissing(report, missing);
  }
  removeUserDataDirectories(claim, stateDir);
}

function addMissing(report: FinishReport, missing: string[]): void {
  const { missingOutputs } = report.outcome;
  if (missing.length > 0)
    report.outcome = { ...report.outcome, missingOutputs: [...missingOutputs, ...missing] };
}

/** Ended by itself, and not well: what failure handlers are about. */
function isFailure(facts: Outcome): boolean {
  const cause = causeOf(facts);
  return cause !== null && cause !== 'lost' && cause !== 'stopped' && cause !== 'canceled';
}
