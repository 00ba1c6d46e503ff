import type { NodeFacts } from '../../../core/dag/node-facts.ts';
import type { Shell } from '../../../core/job/shell.ts';
import type { Requirement } from '../../../core/model/workflow-model.ts';
import type { ErrorSettings } from '../../../core/request/error-settings.ts';
import type { Rulebook } from '../../../core/request/request-model.ts';
import type { SiteChoice } from './sites-text.ts';

/** A job as a node of a DAG. */
export interface PlannedNode {
  name: string;
  facts: NodeFacts;
  /** How often DAGMan submits it again. */
  retries: number;
  priority: number;
  requirement: Requirement;
  command: string;
  shell: Shell;
  /** Where it runs: absolute. */
  cwd: string;
  env: Record<string, string>;
  /** Files that must be there when the command has ended with 0; absolute, or relative to `cwd`. */
  outputs: string[];
  endSignal: string;
  graceMs: number | null;
  /** The counting resource that it takes one of; null: none. */
  category: string | null;
}

/** Children wait for all parents. Names of nodes. */
export interface PlannedEdges {
  parents: string[];
  children: string[];
}

/** A DAG without DAGs in it. */
export interface PlannedDag {
  nodes: PlannedNode[];
  edges: PlannedEdges[];
}

/** How attempts are classified, and how long things may take. */
export interface DagSettings
  extends Pick<ErrorSettings, 'unless_exit_code' | 'abort_dag_code' | 'cooloff_base_sec'> {
  /** A job that is held for so long is removed, and its attempt counts as an infrastructure failure. */
  hold_timeout_ms: number;
  /** Words of the command that starts Holdfast, such as `node /opt/holdfast/bin/holdfast.js`. */
  program: readonly string[];
  /** Lines that are added to every submit file, such as `accounting_group = physics`. */
  submit_lines: readonly string[];
}

interface PlanBasics {
  name: string;
  settings: DagSettings;
  rulebook: Rulebook | null;
  sites: SiteChoice;
  /** Most jobs of the DAG in the queue at a time; null: no limit. */
  maxJobs: number | null;
}

/** A round: one DAG of units, each a DAG of its own. */
export interface RoundPlan extends PlanBasics {
  kind: 'round';
  request: { name: string; version: number; round: number };
  units: { name: string; dag: PlannedDag }[];
}

/** A workflow: one DAG of jobs. */
export interface WorkflowPlan extends PlanBasics {
  kind: 'workflow';
  dag: PlannedDag;
  /** Limits of counting resources. */
  limits: Record<string, number>;
}

export type DagPlan = RoundPlan | WorkflowPlan;
