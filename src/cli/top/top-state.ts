import type { LogStream } from '../../contract/records/log-access.ts';
import type { WorkflowSummary } from '../../contract/records/overview.ts';
import type { EventRecord, JobRecord, WorkerRecord, WorkflowStatus } from '../../contract/records/records.ts';
import type { RequestRecord } from '../../contract/records/request.ts';
import type { FailureSummary } from '../../contract/records/resolution.ts';
import type { JobStatus } from '../../core/job/job-status.ts';
import type { Action, GroupTarget, JobTarget, RequestTarget, Target, TopPlan } from './plans.ts';

/** The lists, in the order of the keys 1 to 7. */
export const VIEWS = ['workflows', 'jobs', 'running', 'failures', 'events', 'workers', 'requests'] as const;
export type ViewName = (typeof VIEWS)[number];

/** What a list shows of the engine: one page of it. */
export type ListData =
  | { view: 'workflows'; items: WorkflowSummary[]; next: number | null; waiting: number }
  | { view: 'jobs'; status: WorkflowStatus; items: JobRecord[]; next: number | null }
  | { view: 'running'; status: WorkflowStatus }
  | { view: 'failures'; status: WorkflowStatus; groups: FailureSummary[]; more: boolean }
  | { view: 'events'; status: WorkflowStatus; items: EventRecord[]; next: number | null }
  | { view: 'workers'; items: WorkerRecord[]; next: number | null }
  | { view: 'requests'; items: RequestRecord[]; next: number | null };

export interface ListScreen {
  selected: number;
  /** The first row that is on the screen. */
  offset: number;
  /** Part of a name; '': all. */
  name: string;
  /** Of jobs: only those in these statuses; null: all. */
  statuses: readonly JobStatus[] | null;
  /** Where the pages begin up to this one; the first page begins at null. */
  pages: (number | null)[];
  data: ListData | null;
}

/** A text in front of a list: why a job is where it is, a group of failures, a request, or a log. */
export type Detail = {
  /** The first line that is on the screen; null: the end, also when more is written. */
  offset: number | null;
  lines: string[] | null;
} & (
  | { kind: 'explanation'; target: JobTarget }
  | { kind: 'log'; target: JobTarget; stream: LogStream }
  | { kind: 'group'; target: GroupTarget }
  | { kind: 'request'; target: RequestTarget }
);

/** What the bottom of the screen asks. */
export type Dialog =
  | { kind: 'help' }
  | { kind: 'filter'; text: string }
  | { kind: 'amount'; of: 'memory' | 'runtime'; text: string; target: Target }
  | { kind: 'planning' }
  | { kind: 'question'; plan: TopPlan }
  | { kind: 'working' };

export interface TopState {
  view: ViewName;
  /** Whose jobs, failures and events are shown. */
  workflow: { id: number; name: string } | null;
  lists: Record<ViewName, ListScreen>;
  /** The last one is in front. */
  details: Detail[];
  dialog: Dialog | null;
  /** What an action led to. */
  notice: { text: string; isError: boolean } | null;
  /** When what is shown was read. */
  readAt: number | null;
  /** Why the last look failed; null: it did not. */
  problem: string | null;
}

/** What a key asks the program to do. */
export type Effect =
  | { kind: 'load' }
  | { kind: 'plan'; action: Action }
  | { kind: 'act'; plan: TopPlan }
  | { kind: 'redraw' }
  | { kind: 'suspend' }
  | { kind: 'quit' };

export interface Start {
  workflow: TopState['workflow'];
  isNamed: boolean;
}

const FRESH: ListScreen = { selected: 0, offset: 0, name: '', statuses: null, pages: [null], data: null };

/** With the jobs of a workflow that was named; otherwise with the list of workflows, and the newest one chosen. */
export function startState({ workflow, isNamed }: Start): TopState {
  return {
    view: isNamed ? 'jobs' : 'workflows',
    workflow,
    lists: freshLists(),
    details: [],
    dialog: null,
    notice: null,
    readAt: null,
    problem: null,
  };
}

export function freshLists(): TopState['lists'] {
  return {
    workflows: FRESH,
    jobs: FRESH,
    running: FRESH,
    failures: FRESH,
    events: FRESH,
    workers: FRESH,
    requests: FRESH,
  };
}

export function frontList(state: TopState): ListScreen {
  return state.lists[state.view];
}

export function frontDetail(state: TopState): Detail | null {
  return state.details.at(-1) ?? null;
}
