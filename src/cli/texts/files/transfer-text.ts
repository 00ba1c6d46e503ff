import type { WorkflowStatus } from '../../../contract/records/records.ts';
import { formatSize } from '../../../core/text/quantity.ts';
import { visibleText } from '../../../views/visible-text.ts';
import { workflowState } from '../../../views/workflow-state.ts';
import type { View } from '../../terminal/view.ts';
import { counted } from '../housekeeping-text.ts';
import { hintCommand } from '../parts/hint-command.ts';
import { jobsCounted } from '../parts/some-names.ts';

export interface ShownExport {
  workflow_id: number;
  name: string;
  job_count: number;
  file: string;
  bytes: number;
  /** Rows by table. */
  counts: Record<string, number>;
}

export const exportedView: View<ShownExport> = {
  json: (exported) => exported,
  table: ({ workflow_id, name, job_count, file, bytes, counts }) => [
    `exported workflow ${workflow_id} ${visibleText(name)} to ${file} (${formatSize(bytes)}): ` +
      `${jobsCounted(job_count)}, ${counted(counts.attempt ?? 0, 'attempt')}, ${counted(counts.event ?? 0, 'event')}`,
  ],
  quiet: ({ file }) => [file],
};

export interface ShownImport {
  status: WorkflowStatus;
  file: string;
}

export const importedView: View<ShownImport> = {
  json: ({ status, file }) => ({ file, ...status }),
  table: ({ status, file }, style) => {
    const { id, name, job_count } = status.workflow;
    const line = `imported ${file} as workflow ${id} ${visibleText(name)}: ${jobsCounted(job_count)}, ${workflowState(status)}`;
    if (status.complete) return [line];
    return [line, `next: ${hintCommand({ kind: 'run', workflow: id }, style)}  (runs what is left)`];
  },
  quiet: ({ status }) => [status.workflow.id],
};
