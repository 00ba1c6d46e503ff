import { formatDuration } from '../text/quantity.ts';

/** The facts of how one attempt ended. One flat object for success and every kind of failure. */
export interface Outcome {
  exit_code: number | null;
  /** Name of the signal that ended the process, e.g. SIGSEGV. */
  signal: string | null;
  timed_out: boolean;
  /** The time limit that ended it; absent unless `timedOut`. */
  time_limit_ms?: number;
  oom: boolean;
  /** What showed that memory ran out; null unless `oom`. */
  oom_evidence: 'cgroup' | 'sampler' | 'sigkill_near_limit' | null;
  /** The worker died, its lease expired, or its node was taken away. */
  lost: boolean;
  /** Its worker reported that the cluster was ending the allocation; absent unless `lost`. */
  allocation_ended?: true;
  /** Ended by Ctrl-C, drain or clean stop; free of charge. */
  stopped: boolean;
  /** Ended because a user canceled the job. */
  canceled: boolean;
  /** Declared outputs that did not exist when the command ended with 0. */
  missing_outputs: string[];
  /** Why the process could not be started at all; null if it was. */
  spawn_error: string | null;
}

export type Cause =
  | 'exit'
  | 'signal'
  | 'timeout'
  | 'oom'
  | 'missing_output'
  | 'spawn'
  | 'lost'
  | 'stopped'
  | 'canceled';

export type Category = 'transient' | 'permanent' | 'data' | 'infrastructure';

const NO_FACTS: Outcome = {
  exit_code: null,
  signal: null,
  timed_out: false,
  oom: false,
  oom_evidence: null,
  lost: false,
  stopped: false,
  canceled: false,
  missing_outputs: [],
  spawn_error: null,
};

export function outcome(facts: Partial<Outcome>): Outcome {
  return { ...NO_FACTS, ...facts };
}

/**
 * Why the attempt did not succeed, or null if it did. Who ended it goes before how the process died:
 * a program that exits 0 after it was asked to stop has not succeeded.
 */
export function causeOf(facts: Outcome): Cause | null {
  if (facts.lost) return 'lost';
  if (facts.canceled) return 'canceled';
  if (facts.stopped) return 'stopped';
  if (facts.timed_out) return 'timeout';
  if (facts.oom) return 'oom';
  if (facts.spawn_error !== null) return 'spawn';
  if (facts.signal !== null) return 'signal';
  if (facts.exit_code !== 0) return 'exit';
  return facts.missing_outputs.length > 0 ? 'missing_output' : null;
}

/**
 * Whether the job itself may be what its worker died of. A worker that reports the end of its allocation has not died of
 * its job.
 */
export function isUnexplained(facts: Outcome): boolean {
  return facts.lost && facts.allocation_ended !== true;
}

export const TIMEOUT_MATCH_CODE = 152;
export const OOM_MATCH_CODE = 137;
/** The command ended with 0, but the attempt failed: rules see a failing code. */
export const MISSING_OUTPUT_MATCH_CODE = 1;

/** The one number that rules see; null when the attempt ended without any (lost, never spawned). */
export function matchCode(facts: Outcome): number | null {
  if (facts.timed_out) return TIMEOUT_MATCH_CODE;
  if (facts.oom) return OOM_MATCH_CODE;
  if (causeOf(facts) === 'missing_output') return MISSING_OUTPUT_MATCH_CODE;
  if (facts.exit_code !== null) return facts.exit_code;
  if (facts.signal !== null) return 128 + signalNumber(facts.signal);
  return null;
}

/** Linux numbering on every platform, so that a rule means the same everywhere. */
const SIGNALS =
  'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS'.split(
    ' ',
  );

export function signalNumber(name: string): number {
  return SIGNALS.indexOf(name.replace(/^SIG/, '')) + 1;
}

/** SIGSEGV for 11; null if there is no such signal. */
export function signalNamed(number: number): string | null {
  const name = SIGNALS[number - 1];
  return name === undefined ? null : `SIG${name}`;
}

/** An outcome in words: `exit 1`, `SIGSEGV`, `timed out (limit 10m)`, `out of memory`. */
export function describeOutcome(facts: Outcome): string {
  const cause = causeOf(facts);
  switch (cause) {
    case null:
      return 'exit 0';
    case 'exit':
      return `exit ${facts.exit_code}`;
    case 'signal':
      return facts.signal!;
    case 'timeout':
      return facts.time_limit_ms === undefined
        ? 'timed out'
        : `timed out (limit ${formatDuration(facts.time_limit_ms)})`;
    case 'oom':
      return 'out of memory';
    case 'spawn':
      return `could not be started: ${facts.spawn_error}`;
    case 'missing_output':
      return `exit 0, but missing ${facts.missing_outputs.join(', ')}`;
    case 'lost':
      return facts.allocation_ended === true ? 'lost with its allocation' : 'lost with its worker';
    case 'stopped':
    case 'canceled':
      return cause;
  }
}

/** How an attempt ended, and why it was decided as it was. A reason often begins with the end; nothing is said twice. */
export function withReason(end: string | null, reason: string): string {
  return end === null || reason.startsWith(end) ? reason : `${end}, ${reason}`;
}
