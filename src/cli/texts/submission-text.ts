import type { WorkflowRecord } from '../../contract/records/records.ts';
import { visibleText } from '../../views/visible-text.ts';
import type { View } from '../terminal/view.ts';
import { hintCommand } from './parts/hint-command.ts';
import { jobsCounted } from './parts/some-names.ts';

/** A workflow that a server has accepted, and the command that follows it. */
export const submissionView: View<WorkflowRecord> = {
  json: (workflow) => workflow,
  table: ({ id, name, job_count }, style) => [
    `workflow ${id} ${visibleText(name)}: ${jobsCounted(job_count)}`,
    `next: ${hintCommand({ kind: 'wait', workflow: id }, style)}  (follows it)`,
  ],
  quiet: ({ id }) => [id],
};
