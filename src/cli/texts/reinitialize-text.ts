import type { ReinitializeResult } from '../../contract/engine.ts';
import type { Hint } from '../../contract/records/hint.ts';
import { rerunReasonText } from '../../views/rerun/update-text.ts';
import { visibleText } from '../../views/visible-text.ts';
import type { TextStyle } from '../terminal/text-style.ts';
import type { View } from '../terminal/view.ts';
import { nextLines } from './parts/hint-command.ts';
import { jobsCounted } from './parts/some-names.ts';

const JOBS_SHOWN = 20;

type RestartedJob = ReinitializeResult['jobs'][number];

export interface ShownReinitialization extends ReinitializeResult {
  workflow_id: number;
  dry_run: boolean;
  files_compared: number;
  next: Hint;
}

export const reinitializeView: View<ShownReinitialization> = {
  json: ({ next, ...result }) => result,
  table: reinitializeText,
  quiet: ({ jobs }) => jobs.map(({ id }) => id),
};

/** Which jobs run again in which run, each with the reason, and the next command. */
function reinitializeText(result: ShownReinitialization, style: TextStyle): string[] {
  const { workflow_id, dry_run, run_id, jobs, next, files_compared: count } = result;
  if (jobs.length === 0) {
    const files = count === 1 ? '1 file was compared' : `${count} files were compared`;
    return [`workflow ${workflow_id}: nothing is out of date; ${files}`];
  }
  const jobCount = jobsCounted(jobs.length);
  return [
    `workflow ${workflow_id}: ${dry_run ? `would reset ${jobCount} and begin` : `reset ${jobCount} and began`} run ${run_id}`,
    ...restartLines(jobs),
    ...nextLines(next, style),
  ];
}

/** `align_3: its input data/3.fq changed`, a line for each of the first jobs. */
export function restartLines(jobs: readonly Pick<RestartedJob, 'name' | 'reason'>[]): string[] {
  const lines = jobs
    .slice(0, JOBS_SHOWN)
    .map(({ name, reason }) => `  ${visibleText(`${name}: ${rerunReasonText(reason)}`)}`);
  return jobs.length > JOBS_SHOWN ? [...lines, `  and ${jobs.length - JOBS_SHOWN} more`] : lines;
}
