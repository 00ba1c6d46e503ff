import type { Hint } from '../../contract/records/hint.ts';
import type { UpdatedJob, UpdateResult } from '../../contract/records/update.ts';
import { rerunReasonText, updateActionText, updateCountsText } from '../../views/rerun/update-text.ts';
import { visibleText } from '../../views/visible-text.ts';
import type { Style } from '../terminal/styled-line.ts';
import type { TextStyle } from '../terminal/text-style.ts';
import type { View } from '../terminal/view.ts';
import { nextLines } from './parts/hint-command.ts';

/** So many jobs are shown of those to which the same happens for the same kind of reason, as of a sweep. */
const ALIKE_SHOWN = 3;

const STYLES: Record<UpdatedJob['action'], Style> = {
  add: 'green',
  run_again: 'yellow',
  change: 'yellow',
  policy: 'dim',
  remove: 'dim',
  started: 'red',
  canceled: 'red',
};

/** What an update did, or would do. */
export interface ShownUpdate {
  update: UpdateResult;
  /** null: nothing helps from here. */
  next: Hint | null;
}

export const updateView: View<ShownUpdate> = {
  json: ({ update }) => update,
  table: ({ update, next }, style) => [...updateLines(update, style), ...nextLines(next, style)],
  quiet: ({ update }) => update.jobs.map(({ name }) => name),
};

/** What is done, job by job with the reason, and what is different. */
export function updateLines(update: UpdateResult, style: TextStyle): string[] {
  const { workflow_id, mode, jobs, left_off } = update;
  if (mode === 'nothing' && jobs.length === 0)
    return [`workflow ${workflow_id}: nothing changed, nothing to do`];
  const groups = groupsOf(jobs);
  const shown = groups.flatMap((group) => shownOf(group));
  const actionWidth = Math.max(0, ...shown.map(({ action }) => updateActionText(action).length));
  const nameWidth = Math.max(0, ...shown.map(({ name }) => visibleText(name).length));
  const lines = [`workflow ${workflow_id}: ${headline(update)}`];
  for (const group of groups) {
    for (const [index, job] of shownOf(group).entries()) {
      const action = style.paint(STYLES[job.action], updateActionText(job.action).padEnd(actionWidth));
      const reason = visibleText(rerunReasonText(job.reason));
      lines.push(`  ${action}  ${visibleText(job.name).padEnd(nameWidth)}  ${reason}`.trimEnd());
      // Changes of jobs that are alike are alike.
      if (index === 0) lines.push(...changeLines(job.changes, style));
    }
    const more = group.length - shownOf(group).length;
    if (more > 0) lines.push(`  ${' '.repeat(actionWidth)}  and ${more} more like these`);
  }
  if (left_off > 0) lines.push(`  and ${left_off} more`);
  if (update.workflow.length > 0) lines.push('  the workflow', ...changeLines(update.workflow, style));
  return lines;
}

function groupsOf(jobs: readonly UpdatedJob[]): UpdatedJob[][] {
  const groups = new Map<string, UpdatedJob[]>();
  for (const job of jobs) {
    const key = `${job.action} ${job.reason.kind}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [job]);
    else group.push(job);
  }
  return [...groups.values()];
}

/** A line that says that there is one more would be no shorter than the job. */
function shownOf(group: readonly UpdatedJob[]): readonly UpdatedJob[] {
  return group.length <= ALIKE_SHOWN + 1 ? group : group.slice(0, ALIKE_SHOWN);
}

function headline(update: UpdateResult): string {
  const { mode, dry_run: isDry, run_id, is_active } = update;
  const counts = updateCountsText(update);
  if (mode === 'new_run') return `${isDry ? 'would begin' : 'begins'} run ${run_id}: ${counts}`;
  if (mode === 'nothing') return `nothing can be changed while it runs: ${counts}`;
  return `${isDry ? 'would change' : 'changed'}${is_active ? ' while it runs' : ''}: ${counts}`;
}

function changeLines(changes: UpdateResult['workflow'], style: TextStyle): string[] {
  return changes.flatMap(({ field, from, to, diff }) => {
    const lines =
      diff === null
        ? [`${field}: ${valueChange(field, from, to)}`]
        : [`${field}:`, ...diff.map((line) => `  ${line}`)];
    return lines.map((line) => `      ${style.paint('dim', visibleText(line))}`);
  });
}

/** Of these, only what is left out and what is new is known here. */
const LISTS = new Set(['depends_on', 'input_files', 'output_files', 'ports', 'tags', 'env']);

function valueChange(field: string, from: string | null, to: string | null): string {
  if (!LISTS.has(field)) return `${from ?? '(none)'} → ${to ?? '(none)'}`;
  return [...(from === null ? [] : [`- ${from}`]), ...(to === null ? [] : [`+ ${to}`])].join('  ');
}
