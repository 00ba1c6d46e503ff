import type { SchedulerModel } from '../allocation/scheduler.ts';
import type { JobStatus } from '../job/job-status.ts';
import type { ActionModel } from '../model/action.ts';
import type { Requirement } from '../model/workflow-model.ts';
import type { StoredJob, WorkflowHead, WorkflowPart } from '../model/workflow-parts.ts';

/** An edited spec, as it would be stored. Rows name each other by their places. */
export interface EditedWorkflow {
  head: WorkflowHead;
  requirements: Requirement[];
  schedulers: SchedulerModel[];
  handlers: { name: string; rules: string }[];
  userData: EditedUserData[];
  /** Members; empty for a set that no job waits for. */
  sets: { job: number; kind: number }[][];
  jobs: StoredJob[];
  actions: ActionModel[];
}

export interface EditedUserData {
  name: string;
  /** In JSON. */
  data: string | null;
  is_ephemeral: boolean;
}

/** A stored job, as far as an update looks at it. */
export interface StoredRow {
  id: number;
  name: string;
  scope: string;
  status: JobStatus;
  /** 1: stands for jobs of items; 2: replaced by them; 3: removed by an earlier update. */
  blueprint: number;
  on_call: boolean;
  /** It waits for its first attempt in this run, and for nothing but its dependencies or a worker. */
  is_fresh: boolean;
  /** It has had an attempt in this run. */
  has_run: boolean;
  priority: number;
  claim_rank: number;
  cancel_on_failure: boolean;
  requirement_id: number;
  dependency_set_id: number | null;
  config: string;
  /** What the spec asked for where recovery or a user changed it since; null: nothing was changed. */
  specified: { requirement_id: number; timeout_ms: number | null } | null;
}

/** A stored workflow, as far as an update looks at it. */
export interface StoredWorkflow {
  head: Omit<WorkflowHead, 'rows' | 'job_count' | 'request_id' | 'sites'>;
  /** The current run has not ended. */
  is_open: boolean;
  /** A process drives the run, or runs jobs of it. */
  is_active: boolean;
  jobs: StoredRow[];
  /** By id. */
  sets: ReadonlyMap<number, readonly { job_id: number; kind: number }[]>;
  requirements: ReadonlyMap<number, Requirement>;
  handlers: { id: number; name: string; rules: string }[];
  userData: StoredUserData[];
  schedulers: { id: number; model: SchedulerModel }[];
  /** `jobs`: ids of rows. */
  actions: (ActionModel & { id: number })[];
}

export interface StoredUserData extends EditedUserData {
  /** What the spec gave it; `data` is what it is now. */
  initial: string | null;
}

/** Puts the parts of a workflow together. */
export class EditedParts {
  readonly #edited: EditedWorkflow;

  constructor(head: WorkflowHead) {
    this.#edited = {
      head,
      requirements: [],
      schedulers: [],
      handlers: [],
      userData: [],
      sets: [],
      jobs: [],
      actions: [],
    };
  }

  add(part: WorkflowPart): void {
    const { requirements, schedulers, handlers, userData, sets, jobs, actions } = this.#edited;
    switch (part.kind) {
      case 'requirements':
        requirements.push(...part.rows);
        return;
      case 'schedulers':
        schedulers.push(...part.rows);
        return;
      case 'handlers':
        handlers.push(...part.rows);
        return;
      case 'user_data':
        userData.push(...part.rows);
        return;
      case 'sets':
        sets.push(...part.rows.map(() => []));
        return;
      case 'jobs':
        jobs.push(...part.rows);
        return;
      case 'members':
        for (const { set, job, kind } of part.rows) sets[set]!.push({ job, kind });
        return;
      case 'actions':
        actions.push(...part.rows.map((action) => ({ ...action, jobs: [] })));
        return;
      case 'watched':
        for (const { action, job } of part.rows) actions[action]!.jobs.push(job);
        return;
      case 'units':
      case 'unit_items':
        throw new Error('a workflow that is updated has no units');
    }
  }

  all(): EditedWorkflow {
    return this.#edited;
  }
}
