import { HoldfastError } from '../../core/errors.ts';
import { harmlessLine } from '../../core/text/harmless-line.ts';
import type { ClusterAnswer } from '../run-cluster-command.ts';

const MOST_CHARACTERS = 500;

/** What the commands say where the schedd does not answer. With many of them the exit code is that of a refusal. */
const ABSENT = [
  /Can't find address of (?:local )?schedd/i,
  /condor_schedd is not\s+running/i,
  /Failed to (?:connect|fetch)/i,
  /Can't connect to/i,
  /Unable to (?:connect|contact|locate)/i,
  /communication error/i,
  /SECMAN:2\d\d\d/,
  /Couldn't contact the condor_collector/i,
];

export function saysNoSchedd(text: string): boolean {
  return ABSENT.some((pattern) => pattern.test(text));
}

/** What a command said, in one line, without its explanations. */
export function saidBy({
  stdout,
  stderr,
  exitCode,
}: Pick<ClusterAnswer, 'stdout' | 'stderr' | 'exitCode'>): string {
  const lines = `${stderr}\n${stdout}`
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^-+$/.test(line.trim()));
  const errors = lines.filter((line) => /^(?:error|condor_\w+)\b/i.test(line.trim()));
  const said = harmlessLine((errors.length > 0 ? errors : lines).join('; '), MOST_CHARACTERS);
  return said === '' ? `exit code ${exitCode}` : said;
}

export function scheddAbsent(
  command: string,
  answer: Pick<ClusterAnswer, 'problem' | 'stderr' | 'exitCode'>,
): HoldfastError {
  const problem = answer.problem ?? saidBy({ ...answer, stdout: '' });
  return new HoldfastError('CLUSTER_ABSENT', { command, problem: harmlessLine(problem, MOST_CHARACTERS) });
}

export function scheddRefused(command: string, problem: string): HoldfastError {
  return new HoldfastError('CLUSTER_REFUSED', { command, problem: harmlessLine(problem, MOST_CHARACTERS) });
}
