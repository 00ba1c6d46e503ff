import { HoldfastError } from '../../core/errors.ts';
import { harmlessLine } from '../../core/text/harmless-line.ts';
import type { ClusterAnswer } from '../run-cluster-command.ts';

const MOST_TEXT = 500;

/** `sbatch: error: Batch job submission failed: ` and the like: who said it, not what. */
const SPEAKER =
  /^(?:timeout: )?(?:[a-z]+: )?(?:(?:error|fatal|warning): )?(?:Batch job submission failed: |allocation failure: )?/;
const NO_NEWS = /^Try "\w+ --help" for more information/;

/**
 * Messages after which it is not known whether the controller got the order, or that it did not get it: errors of
 * communication, authentication and configuration. Slurm has no other exit code for them.
 */
const ABSENT = new RegExp(
  [
    'unable to contact slurm controller',
    'unable to (?:process|establish) configuration',
    'could not establish a configuration source',
    'clustername needs to be specified',
    'slurm backup controller in standby mode',
    'socket timed out',
    'zero bytes were transmitted',
    'communication (?:connection|shutdown) failure',
    'message (?:send|receive) failure',
    'unexpected message received',
    'insane message length',
    'header lengths are longer',
    'incompatible versions of client and server',
    'protocol authentication error',
    'invalid authentication credential',
    'munge_?(?:encode|decode)|failed to connect to socket|munged',
    'connection (?:refused|timed out|reset)',
    'no route to host|network is unreachable|broken pipe',
    'temporarily un(?:able|available)|interrupted system call',
  ].join('|'),
  'i',
);

const UNKNOWN_ID = /invalid job id specified|job\/step already completing or completed/i;

/** What Slurm said, without who said it, in one line. */
export function spokenText(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .map((line) => line.replace(SPEAKER, '').trim())
    .filter((line) => line !== '' && !NO_NEWS.test(line));
  return harmlessLine([...new Set(lines)].join('; '), MOST_TEXT);
}

export const saysAbsent = (stderr: string): boolean => ABSENT.test(stderr);
export const saysUnknownId = (stderr: string): boolean => UNKNOWN_ID.test(stderr);

export function clusterAbsent(command: string, problem: string): HoldfastError {
  return new HoldfastError('CLUSTER_ABSENT', { command, problem });
}

export function clusterRefused(command: string, problem: string): HoldfastError {
  return new HoldfastError('CLUSTER_REFUSED', { command, problem });
}

/** The answer is none that the command gives: a wrapper, a newer Slurm, a broken disk. Nothing is concluded from it. */
export function oddAnswer(command: string, text: string): HoldfastError {
  return clusterAbsent(command, `it printed something else: ${harmlessLine(text, 200) || 'nothing'}`);
}

/** Why there is no answer to a question. */
export function noAnswer(command: string, answer: ClusterAnswer): HoldfastError {
  return clusterAbsent(
    command,
    answer.problem ?? (spokenText(answer.stderr) || `exit code ${answer.exitCode}`),
  );
}
