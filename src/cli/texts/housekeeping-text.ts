import type { PruneResult, Removal } from '../../contract/engine.ts';
import type { WorkflowRecord } from '../../contract/records/records.ts';
import { formatSize } from '../../core/text/quantity.ts';
import { visibleText } from '../../views/visible-text.ts';
import { shortTime } from '../terminal/local-time.ts';
import type { TextStyle } from '../terminal/text-style.ts';
import type { View } from '../terminal/view.ts';

export interface ShownRemovals {
  dry_run: boolean;
  removed: (Removal | PruneResult['removed'][number])[];
  /** Of `prune`. */
  kept?: number;
}

/** What `delete` and `prune` print. */
export const removalsView: View<ShownRemovals> = {
  json: (removals) => removals,
  table: ({ dry_run, removed, kept }, style) => {
    const lines = removed.map((removal) => removalLine(removal, dry_run, style));
    if (kept === undefined) return lines;
    const would = dry_run ? 'would be deleted' : 'deleted';
    const total = removed.reduce((sum, { files }) => sum + files.bytes, 0);
    const size = total > 0 ? ` (${formatSize(total)} of files)` : '';
    return [...lines, `${workflows(removed.length)} ${would}${size}, ${workflows(kept)} kept`];
  },
  quiet: ({ removed }) => removed.map(({ workflow_id }) => workflow_id),
};

function removalLine(removal: ShownRemovals['removed'][number], dryRun: boolean, style: TextStyle): string {
  const { workflow_id, name, jobs, attempts, events, files } = removal;
  const ended =
    'status' in removal ? `, ${removal.status} ${shortTime(removal.finished_at_ms, style.now)}` : '';
  const rows = [counted(jobs, 'job'), counted(attempts, 'attempt'), counted(events, 'event')].join(', ');
  const disk = files.count > 0 ? `, ${counted(files.count, 'file')} (${formatSize(files.bytes)})` : '';
  const would = dryRun ? 'would delete' : 'deleted';
  return `${would} workflow ${workflow_id} ${style.paint('bold', visibleText(name))}${ended}: ${rows}${disk}`;
}

/** What `archive` and `unarchive` print. */
export const archivedView: View<WorkflowRecord[]> = {
  json: (records) => records,
  table: (records, style) =>
    records.map(({ id, name, archived_at_ms }) =>
      archived_at_ms === null
        ? `workflow ${id} ${visibleText(name)} is in the lists`
        : `workflow ${id} ${visibleText(name)} is archived; \`${style.command('status', '--archived')}\` lists it`,
    ),
  quiet: (records) => records.map(({ id }) => id),
};

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function workflows(count: number): string {
  return counted(count, 'workflow');
}
