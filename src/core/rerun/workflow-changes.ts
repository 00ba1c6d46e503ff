import { jobLabel } from '../job/job-label.ts';
import type { EditedWorkflow, StoredWorkflow } from './edited-workflow.ts';
import { canonical } from './field-kinds.ts';
import { WORKFLOW_FIELDS, type WorkflowField } from './update-plan.ts';

/** The parts of a workflow beside its jobs, in a form in which they can be compared and shown. */
export type WorkflowValues = Record<WorkflowField, unknown>;

const HEAD_JSON = ['metadata', 'variables', 'limits', 'routing', 'notify', 'access_groups'] as const;

function headValues(head: StoredWorkflow['head']): Omit<WorkflowValues, KeyOfLists> {
  const { name, description, user, project, max_parallel, use_pending_failed } = head;
  const json = Object.fromEntries(HEAD_JSON.map((field) => [field, JSON.parse(head[field]) as unknown]));
  return {
    ...(json as Record<(typeof HEAD_JSON)[number], unknown>),
    ...{ name, description, user, project, max_parallel, use_pending_failed },
  };
}

type KeyOfLists = 'failure_handlers' | 'user_data' | 'actions' | 'schedulers';

export function storedValues(stored: StoredWorkflow): WorkflowValues {
  const watched = new Set(stored.actions.flatMap(({ jobs }) => jobs));
  const labels = new Map(
    watched.size === 0
      ? []
      : stored.jobs.filter(({ id }) => watched.has(id)).map((row) => [row.id, jobLabel(row)]),
  );
  return {
    ...headValues(stored.head),
    failure_handlers: byName(stored.handlers, ({ rules }) => JSON.parse(rules)),
    user_data: byName(stored.userData, ({ initial, is_ephemeral }) => ({
      data: parsed(initial),
      is_ephemeral,
    })),
    actions: stored.actions.map(({ id: _, jobs, ...action }) => ({
      ...action,
      jobs: jobs.map((job) => labels.get(job)).sort(),
    })),
    schedulers: byName(
      stored.schedulers.map(({ model }) => model),
      (model) => model,
    ),
  };
}

export function editedValues(edited: EditedWorkflow): WorkflowValues {
  return {
    ...headValues(edited.head),
    failure_handlers: byName(edited.handlers, ({ rules }) => JSON.parse(rules)),
    user_data: byName(edited.userData, ({ data, is_ephemeral }) => ({ data: parsed(data), is_ephemeral })),
    actions: edited.actions.map(({ jobs, ...action }) => ({
      ...action,
      jobs: jobs.map((place) => jobLabel(edited.jobs[place]!)).sort(),
    })),
    schedulers: byName(edited.schedulers, (model) => model),
  };
}

export function changedFields(before: WorkflowValues, after: WorkflowValues): WorkflowField[] {
  return WORKFLOW_FIELDS.filter((field) => canonical(before[field], true) !== canonical(after[field], true));
}

function byName<T extends { name: string }>(list: readonly T[], value: (item: T) => unknown) {
  return Object.fromEntries(list.map((item) => [item.name, value(item)]));
}

function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
