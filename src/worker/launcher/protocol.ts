import type { Usage } from '../../contract/records/records.ts';
import type { MarkRole } from '../../core/files/file-mark.ts';
import type { Outcome } from '../../core/job/outcome.ts';
import type { Shell } from '../../core/job/shell.ts';
import type { UsageSample } from '../../core/job/usage-samples.ts';
import type { FileFacts } from '../../host/look-at-file.ts';

// One JSON object a line, both ways. The launcher is the parent of all jobs of its worker.

/** Start one attempt. Everything in it is absolute and final: the launcher decides nothing. */
export interface SpawnOrder {
  kind: 'spawn';
  /** Names the attempt in every later message. */
  token: number;
  /** Attempts of one queue are started one after another, in the order in which they came (default: a queue of its own). */
  queue?: number;
  /** Short ones are given to the shell as they are, others from a file at `scriptPath`, so that there is no size limit. */
  script: string;
  scriptPath: string;
  /** Runs the script (default: bash). */
  shell?: Shell;
  /** Options of `srun`, under which the shell is then started; absent: it is started directly. */
  step?: string[];
  cwd: string;
  /** On top of the environment the launcher was started with. */
  env: Record<string, string>;
  stdoutPath: string;
  stderrPath: string;
  /** Made afresh before the start. */
  workDir: string;
  /** Made before the start, and removed after success if nothing is in it. */
  checkpointDir: string;
  /** Whether this is the job's first attempt: nothing is in the checkpoint directory yet. */
  isFirst: boolean;
  /** When the work directory and the script are removed. */
  cleanUp: 'always' | 'after success' | 'never';
  /** Made before the start. */
  directories: string[];
  timeoutMs: number | null;
  memoryBytes: number | null;
  /** false: observe memory, do not end the attempt for it. */
  enforceMemory: boolean;
  /** The first signal to an attempt that has to end. */
  endSignal: NodeJS.Signals;
  /** Between that signal and SIGKILL. */
  graceMs: number;
  /** Must exist before the start (default: none). */
  inputFiles?: string[];
  /** How often a sample of what it uses is kept; null: never. */
  sampleMs: number | null;
  /** Must exist after exit 0; the directories they are in are made before the start. */
  outputFiles: string[];
  /** Declared files that are looked at: inputs before the start, outputs after the end (default: none). */
  watched?: { role: MarkRole; absolute: string }[];
  /**
   * What happens to files of `outputFiles` that a failed attempt created: they are moved to their name with this behind
   * it; null: they are removed. Absent: they stay.
   */
  failedSuffix?: string | null;
}

/** End one attempt: its signal, the grace, SIGKILL. */
export interface EndOrder {
  kind: 'end';
  token: number;
  why: EndCause;
  /** Kill at once, also if the attempt is already being ended. */
  now: boolean;
  /** Leave it alone if it has started. */
  unlessStarted?: boolean;
  /** Between the signal and SIGKILL, where that is shorter than what the spawn order says. */
  mostGraceMs?: number;
}

/** `lost`: what it runs on is being taken away. `out of time`: the time for all jobs is over, not that of the attempt. */
export type EndCause = 'canceled' | 'stopped' | 'lost' | 'out of time';

/** Until when attempts may live, by `monotonicNow`; without one they may for ever. */
export interface FenceOrder {
  kind: 'fence';
  until: number;
}

/** These ends have been dealt with: nobody will ask for them again. */
export interface ForgetOrder {
  kind: 'forget';
  tokens: number[];
}

/** Kill what there is, report, and leave. */
export interface CloseOrder {
  kind: 'close';
}

export type Order = SpawnOrder | EndOrder | FenceOrder | ForgetOrder | CloseOrder;

export interface StartedNotice {
  kind: 'started';
  token: number;
  pid: number;
  startedAt: number;
}

export interface EndedNotice {
  kind: 'ended';
  token: number;
  /** null if the process could not be started. */
  startedAt: number | null;
  finishedAt: number;
  outcome: Outcome;
  usage: Usage | null;
  /** Absent where none were kept. */
  samples?: UsageSample[];
  /** What `watched` of its order were, in that order; absent where nothing is watched or started. */
  files?: FileFacts[];
}

/** What a launcher has to do with: from the order to the moment when its end need not be reported again. */
export interface Holdings {
  waiting: number[];
  started: StartedNotice[];
  ended: EndedNotice[];
}

/** The first notice to a worker: orders are being read. */
export interface ReadyNotice extends Holdings {
  kind: 'ready';
  pid: number;
}

export type Notice = ReadyNotice | StartedNotice | EndedNotice;
