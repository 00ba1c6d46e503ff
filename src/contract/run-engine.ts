import type { DagModel } from '../core/dag/dag-model.ts';
import type { PoolChoices } from '../core/dag/pool-settings.ts';
import type { ErrorSettings } from '../core/request/error-settings.ts';
import type { PostRecord } from '../core/request/post-record.ts';
import type { Rulebook } from '../core/request/request-model.ts';

/**
 * Who runs whole runs of a workflow, instead of our workers: DAGMan. Its methods reject with the error CLUSTER_REFUSED where it said
 * no, and with CLUSTER_ABSENT where nobody answered.
 */
export interface RunEngine {
  readonly name: 'htcondor';
  /**
   * Writes the directory unless it is there, and into it what is new for this run: its number, and the sites. Only called
   * while no run of the directory is in the queue; may be called again for the same run.
   */
  prepare(order: RunOrder): Promise<void>;
  /** The id of a run that may have been submitted, from the queue or from what it left; null: it was not. */
  find(run: RunFiles): Promise<string | null>;
  /** The first run of a directory, or the next one: then what is done in it is not done again. Returns its id. */
  submit(run: RunFiles): Promise<RunRef['id']>;
  /** From files and one question to the queue; `unknown` where nobody answers. */
  look(refs: readonly RunRef[]): Promise<Map<RunRef, RunView>>;
  /** What runs finishes, and nothing else starts until it is continued. */
  halt(ref: RunRef): Promise<void>;
  continue(ref: RunRef): Promise<void>;
  /** Ends what runs, and keeps what is done. Those that have ended are no error. */
  stop(ref: RunRef): Promise<void>;
}

/** A DAG directory that can be submitted. */
export interface RunFiles {
  /** Absolute. */
  directory: string;
  /** Name of the outermost DAG in it. */
  dag: string;
  /** Unique for ever: it shows after a crash whether the run was submitted. */
  tag: string;
}

/** Everything that a run is made from. */
export interface RunOrder extends RunFiles {
  /** Number of the run in the files of the directory, from 1. */
  run: number;
  model: DagModel;
  /** Positions of the jobs that are to be run. */
  jobs: readonly number[];
  /** Where the jobs run: absolute. */
  cwd: string;
  settings: ErrorSettings;
  /** The round that it is a run of; null: of another workflow. */
  request: { name: string; version: number; round: number } | null;
  rulebook: Rulebook | null;
  pool: PoolChoices;
  /** `allowed` null: every site. */
  sites: { allowed: string[] | null; banned: string[] };
}

/** The process that has runs run elsewhere. */
export interface RunDriver {
  engine: RunEngine;
  /** This process, as no other is called: its identity in JSON, so that others see whether it lives. */
  server: string;
  /** The only request or workflow that it looks after; null: all that are shared. */
  only: { request: string } | { workflow: number } | null;
}

/** A run that was submitted. */
export interface RunRef {
  directory: string;
  dag: string;
  run: number;
  /** What the queue calls it. */
  id: string;
}

export const RUN_ENDED_HOW = ['done', 'failures', 'aborted', 'removed', 'halted', 'error'] as const;

/**
 * How a run ended. `error` without an exit code: it left no word and is not in the queue, so that it has to be submitted
 * again, which continues it.
 */
export interface DagEnd {
  how: (typeof RUN_ENDED_HOW)[number];
  exitCode: number | null;
}

export interface RunView {
  state: 'queued' | 'running' | 'ended' | 'unknown';
  /** What keeps it from running, or nobody from answering; null: nothing. */
  why: string | null;
  /** null: it has not ended, as far as is known. */
  ended: DagEnd | null;
  units: RunUnit[];
  /**
   * Attempts of this run that left a record, in the order in which they ended: all of them once it has ended; before,
   * those that were not returned by an earlier look.
   */
  attempts: RunAttempt[];
}

export interface RunUnit {
  name: string;
  /** `not run`: it has neither succeeded nor failed; a removal may have ended what was under way. */
  state: 'done' | 'failed' | 'not run';
  /** It failed, and no record says why. */
  noEvidence: boolean;
}

export interface RunAttempt {
  /** Name of the unit; of a workflow, which has none, that of the node. */
  unit: string;
  record: PostRecord;
}
