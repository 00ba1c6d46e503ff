import type { Category, Cause } from '../core/job/outcome.ts';
import type { DagEnd } from './run-engine.ts';

/** What the files of a DAG say of its newest run, whoever wrote the DAG. */
export interface DagEvidence {
  directory: string;
  /** The outermost DAG. */
  dag: string;
  /** Name of the round or workflow that it was exported from; null: it is not one of ours. */
  name: string | null;
  /** Number of the run, from 1; null: not known. */
  run: number | null;
  /** null: it has not ended, as far as its files say. */
  ended: DagEnd | null;
  /** Nodes of the outermost DAG: units of a round, jobs otherwise. */
  counts: { total: number; done: number; failed: number; not_run: number };
  /** Those nodes, in their order. */
  units: DagUnit[];
  attempts: DagAttempt[];
  /** Nodes that failed, by their paths, and that no attempt says anything about. */
  without_evidence: string[];
  /** Jobs that are held. */
  held: { node: string; reason: string }[];
  /** What the files do not say, in sentences. */
  unknown: string[];
}

/** A node of the outermost DAG. `not run`: it has neither succeeded nor failed. */
export interface DagUnit {
  name: string;
  state: 'done' | 'failed' | 'not run';
}

/** An attempt of a node that has ended. */
export interface DagAttempt {
  /** With the units that it is in, as in `u000003/proc_000001`. */
  node: string;
  /** From 1. */
  attempt: number;
  failed: boolean;
  /** The node failed with it. */
  final: boolean;
  category: Category | null;
  cause: Cause | null;
  /** The code that rules see. */
  code: number | null;
  /** null, as the signal: it was removed, or never submitted. */
  exit_code: number | null;
  signal: string | null;
  /** null: not known. */
  ended_at_ms: number | null;
  site: string | null;
  sentence: string;
  bad_input_files: string[];
  /** The last lines of stderr; '': there are none, or they are not known. */
  log_tail: string;
}

/** A DAG that is stored as a request. */
export interface DagImport {
  /** Of the request; a version of it that is there must have ended. */
  name: string;
  evidence: DagEvidence;
  actor: string;
}
