import type { ResetResult } from '../../contract/engine.ts';
import type { Hint } from '../../contract/records/hint.ts';
import type { TextStyle } from '../terminal/text-style.ts';
import type { View } from '../terminal/view.ts';
import { nextLines } from './parts/hint-command.ts';
import { jobsCounted } from './parts/some-names.ts';
import { statusLines } from './parts/status-lines.ts';

export interface ShownReset extends ResetResult {
  workflow_id: number;
  dry_run: boolean;
  next: Hint | null;
}

export const resetView: View<ShownReset> = {
  json: ({ next, ...reset }) => reset,
  table: resetText,
  quiet: ({ jobs }) => jobs.map(({ id }) => id),
};

/** How many jobs start over in which run, the first of them with the status they had, and the next command. */
function resetText({ workflow_id, dry_run, run_id, jobs, next }: ShownReset, style: TextStyle): string[] {
  if (jobs.length === 0) return [`workflow ${workflow_id}: there is nothing to reset`];
  const count = jobsCounted(jobs.length);
  const lines = [
    `workflow ${workflow_id}: ${dry_run ? `would reset ${count} and begin` : `reset ${count} and began`} run ${run_id}`,
    ...statusLines(jobs, style),
  ];
  return [...lines, ...nextLines(next, style)];
}
