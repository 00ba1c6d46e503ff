import type { UpdatedJob, UpdateResult } from '../../contract/records/update.ts';
import type { RerunReason } from '../../core/rerun/rerun-reason.ts';

/** Fields by the words of a spec. */
const FIELDS: Record<string, string> = {
  shell: 'its shell changed',
  cwd: 'its working directory changed',
  env: 'its environment changed',
  template: 'its command is a template now, or is none any more',
  output: 'how its output is read changed',
  user_data: 'the user data that it reads or sets changed',
};

const STATUSES: Partial<Record<string, string>> = {
  failed: 'it failed',
  terminated: 'it was terminated',
  canceled: 'it was canceled',
  pending_failed: 'it failed, and waits for a decision',
};

/** Why an update does something about a job, as in `align_3: its command changed`. */
export function rerunReasonText(reason: RerunReason): string {
  switch (reason.kind) {
    case 'new':
      return 'it is new';
    case 'removed':
      return 'removed from the spec';
    case 'command_changed':
      return 'its command changed';
    case 'input_added':
      return `new input ${reason.path}`;
    case 'input_removed':
      return `${reason.path} is no input any more`;
    case 'output_added':
      return `new output ${reason.path}`;
    case 'output_removed':
      return `${reason.path} is no output any more`;
    case 'setting_changed':
      return FIELDS[reason.field] ?? `its \`${reason.field}\` changed`;
    case 'dependency_added':
      return `it depends on ${reason.job} now`;
    case 'dependency_removed':
      return `it does not depend on ${reason.job} any more`;
    case 'dependencies_changed':
      return 'what it waits for changed';
    case 'variable_changed':
      return `the variable ${reason.name} changed`;
    case 'user_data_changed':
      return `the user data ${reason.name} changed`;
    case 'input_changed':
      return `its input ${reason.path} changed`;
    case 'output_missing':
      return `its output ${reason.path} is missing`;
    case 'output_changed':
      return `its output ${reason.path} was changed after it ran`;
    case 'unsuccessful':
      return STATUSES[reason.status] ?? `it is ${reason.status}`;
    case 'items_changed':
      return 'the steps of its items changed';
    case 'upstream':
      return `${reason.job} runs again`;
    case 'policy_changed':
      return 'only its policy changed';
  }
}

const ACTIONS: Record<UpdatedJob['action'], string> = {
  add: 'new',
  run_again: 'run again',
  change: 'changed',
  policy: 'policy',
  remove: 'removed',
  started: 'has started',
  canceled: 'is canceled',
};

/** What is done about a job, in one or two words. */
export function updateActionText(action: UpdatedJob['action']): string {
  return ACTIONS[action];
}

/** `2 run again, 1 is new, 1 is removed; 12 stay as they are`. */
export function updateCountsText({ counts }: Pick<UpdateResult, 'counts'>): string {
  const parts = [
    counted(counts.run_again, 'runs again', 'run again'),
    counted(counts.change, 'is changed before it starts', 'are changed before they start'),
    counted(counts.add, 'is new', 'are new'),
    counted(counts.remove, 'is removed', 'are removed'),
    counted(counts.policy, 'has another policy', 'have another policy'),
    counted(counts.started, 'has started and is not changed now', 'have started and are not changed now'),
    counted(counts.canceled, 'is canceled and is not changed now', 'are canceled and are not changed now'),
  ].filter((part) => part !== null);
  const rest = counted(counts.unchanged, 'stays as it is', 'stay as they are');
  const first = parts.length === 0 ? 'no job changes' : parts.join(', ');
  return rest === null ? first : `${first}; ${rest}`;
}

function counted(count: number, one: string, many: string): string | null {
  return count === 0 ? null : `${count} ${count === 1 ? one : many}`;
}
