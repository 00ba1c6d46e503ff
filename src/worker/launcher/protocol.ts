import type { Outcome } from '../../core/outcome.ts';
import type { Usage } from '../../core/records.ts';

// One JSON object a line, both ways. The launcher is the parent of all jobs of its worker.

/** Start one attempt. Everything in it is absolute and final: the launcher decides nothing. */
export interface SpawnOrder {
  kind: 'spawn';
  /** Names the attempt in every later message. */
  token: number;
  /** Run by bash: short ones as they are, others from a file at `scriptPath`, so that there is no size limit. */
  script: string;
  scriptPath: string;
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
  /** Between SIGTERM and SIGKILL. */
  graceMs: number;
  /** Must exist after exit 0. */
  outputFiles: string[];
}

/** End one attempt: SIGTERM, the grace, SIGKILL. */
export interface EndOrder {
  kind: 'end';
  token: number;
  why: 'canceled' | 'stopped';
  /** Kill at once, also if the attempt is already being ended. */
  now: boolean;
}

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

/** Kill what there is, tell, and go. */
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
}

/** What a launcher has to do with: from the order to the moment when its end need not be told again. */
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
