/** The facts of how one attempt ended. One flat object for success and every kind of failure. */
export interface Outcome {
  exitCode: number | null;
  /** Name of the signal that ended the process, e.g. SIGSEGV. */
  signal: string | null;
  timedOut: boolean;
  oom: boolean;
  /** What showed that memory ran out; null unless `oom`. */
  oomEvidence: 'cgroup' | 'sampler' | 'sigkill_near_limit' | null;
  /** The worker died, its lease expired, or its node was taken away. */
  lost: boolean;
  /** Ended by Ctrl-C, drain or clean stop; free of charge. */
  stopped: boolean;
  /** Ended because a user canceled the job. */
  canceled: boolean;
  /** Declared outputs that did not exist when the command ended with 0. */
  missingOutputs: string[];
  /** Why the process could not be started at all; null if it was. */
  spawnError: string | null;
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
  exitCode: null,
  signal: null,
  timedOut: false,
  oom: false,
  oomEvidence: null,
  lost: false,
  stopped: false,
  canceled: false,
  missingOutputs: [],
  spawnError: null,
};

export function outcome(facts: Partial<Outcome>): Outcome {
  return { ...NO_FACTS, ...facts };
}

/**
 * Why the attempt did not succeed, or null if it did. Who ended it goes before how the process died:
 * a program that exits 0 after it was told to stop has not succeeded.
 */
export function causeOf(facts: Outcome): Cause | null {
  if (facts.lost) return 'lost';
  if (facts.canceled) return 'canceled';
  if (facts.stopped) return 'stopped';
  if (facts.timedOut) return 'timeout';
  if (facts.oom) return 'oom';
  if (facts.spawnError !== null) return 'spawn';
  if (facts.signal !== null) return 'signal';
  if (facts.exitCode !== 0) return 'exit';
  return facts.missingOutputs.length > 0 ? 'missing_output' : null;
}

export const TIMEOUT_MATCH_CODE = 152;
export const OOM_MATCH_CODE = 137;

/** The one number that rules see; null when the attempt ended without any (lost, never spawned). */
export function matchCode(facts: Outcome): number | null {
  if (facts.timedOut) return TIMEOUT_MATCH_CODE;
  if (facts.oom) return OOM_MATCH_CODE;
  if (facts.exitCode !== null) return facts.exitCode;
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

/** How an outcome is told to people: `exit 1`, `SIGSEGV`, `timeout`, `out of memory`. */
export function describeOutcome(facts: Outcome): string {
  const cause = causeOf(facts);
  switch (cause) {
    case null:
      return 'exit 0';
    case 'exit':
      return `exit ${facts.exitCode}`;
    case 'signal':
      return facts.signal!;
    case 'timeout':
      return 'timed out';
    case 'oom':
      return 'out of memory';
    case 'spawn':
      return `could not be started: ${facts.spawnError}`;
    case 'missing_output':
      return `exit 0, but missing ${facts.missingOutputs.join(', ')}`;
    case 'lost':
      return 'lost with its worker';
    case 'stopped':
    case 'canceled':
      return cause;
  }
}
