import type { Claim, FinishReport } from '../../contract/records/exchange.ts';
import { fingerprint } from '../../core/job/fingerprint.ts';
import { causeOf, matchCode, type Outcome } from '../../core/job/outcome.ts';
import type { JobConfig } from '../../core/model/workflow-model.ts';
import { attemptFiles } from '../execute/spawn-order.ts';
import { matchStderr } from './match-stderr.ts';
import type { PatternMatcher } from './pattern-matcher.ts';
import { readTail } from './read-tail.ts';
import { readStepOutput, type StepOutput } from './step-output.ts';
import { readUserData, removeUserDataDirectories } from './user-data-files.ts';

/** Whether anything of an ended attempt has to be read before it can be reported. */
export function isIncomplete({ config }: Claim, facts: Outcome): boolean {
  if (config.user_data.outputs.length > 0) return true;
  if (config.output !== null && causeOf(facts) === null) return true;
  return isFailure(facts);
}

/** Adds what has to be read: what the attempt put out, and what its stderr says of a failure. */
export async function completeReport(
  claim: Claim,
  report: FinishReport,
  stateDir: string,
  matcher: PatternMatcher,
): Promise<void> {
  const { stdoutPath, stderrPath } = attemptFiles(claim, stateDir);
  await addOutput(claim, report, stdoutPath);
  await addUserData(claim, report, stateDir);
  const cause = causeOf(report.outcome);
  if (cause === null || !isFailure(report.outcome)) return;
  report.fingerprint = fingerprint(
    cause,
    matchCode(report.outcome),
    await readTail(stderrPath, FINGERPRINT_BYTES),
  );
  if (claim.stderr_patterns.length > 0) {
    await matchStderr(report, stderrPath, claim.stderr_patterns, matcher);
  }
}

/** The end of stderr that identifies a failure. */
const FINGERPRINT_BYTES = 8 * 1024;

async function addOutput({ config }: Claim, report: FinishReport, stdoutPath: string): Promise<void> {
  if (config.output === null || !mayCount(config, report.outcome)) return;
  const read = await readStepOutput(stdoutPath, config.output).catch((error: Error) => ({
    ok: false as const,
    problem: `its stdout (${error.message})`,
  }));
  if (read.ok && (!config.for_each || isWholeList(read))) report.output = read.output;
  else if (causeOf(report.outcome) === null) addMissing(report, [read.ok ? listProblem(read) : read.problem]);
}

/** Whether the job may be complete by this attempt: a failure can be accepted by its post script, or by a rule. */
function mayCount({ post, failure_handler: handler }: JobConfig, facts: Outcome): boolean {
  return causeOf(facts) === null || (isFailure(facts) && (post !== null || handler !== null));
}

type ReadOutput = Extract<StepOutput, { ok: true }>;

function isWholeList({ output, complete }: ReadOutput): boolean {
  return complete && Array.isArray(output);
}

function listProblem({ output, complete }: ReadOutput): string {
  const kind = output === null ? 'null' : KINDS[typeof output];
  return `a list on stdout (forEach): it is ${complete ? kind : 'over 1 MiB'}`;
}

const KINDS: Partial<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
};

async function addUserData(claim: Claim, report: FinishReport, stateDir: string): Promise<void> {
  if (claim.config.user_data.outputs.length === 0) return;
  const cause = causeOf(report.outcome);
  const hasExitedWell = cause === null || cause === 'missing_output';
  if (hasExitedWell || mayCount(claim.config, report.outcome)) {
    const { values, missing } = await readUserData(claim, stateDir);
    report.user_data = values;
    if (hasExitedWell) addMissing(report, missing);
  }
  removeUserDataDirectories(claim, stateDir);
}

function addMissing(report: FinishReport, missing: string[]): void {
  const { missing_outputs: missingOutputs } = report.outcome;
  if (missing.length > 0)
    report.outcome = { ...report.outcome, missing_outputs: [...missingOutputs, ...missing] };
}

/** Ended by itself, and not well: what failure handlers are about. */
function isFailure(facts: Outcome): boolean {
  const cause = causeOf(facts);
  return cause !== null && cause !== 'lost' && cause !== 'stopped' && cause !== 'canceled';
}
