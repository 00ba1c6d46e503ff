import type { RetryJobsResult } from '../../contract/engine.ts';
import type { Hint } from '../../contract/records/hint.ts';
import { visibleText } from '../../views/visible-text.ts';
import type { TextStyle } from '../terminal/text-style.ts';
import type { View } from '../terminal/view.ts';
import { nextLines } from './parts/hint-command.ts';
import { jobsCounted } from './parts/some-names.ts';
import { statusLines } from './parts/status-lines.ts';

/** Jobs that are to be tried again; `next`: null if nothing has to be done for it. */
export interface ShownRetry extends RetryJobsResult {
  workflow_id: number;
  next: Hint | null;
}

export const retryView: View<ShownRetry> = {
  json: ({ next, ...retry }) => retry,
  table: retryText,
  quiet: ({ jobs }) => jobs.map(({ id }) => id),
};

function retryText(retry: ShownRetry, style: TextStyle): string[] {
  const { workflow_id, jobs, revived, next } = retry;
  const [first] = jobs;
  if (first === undefined) return [`workflow ${workflow_id}: there is nothing to retry in this selection`];
  const isOne = jobs.length === 1 && retry.mode === 'retry' && !retry.dry_run;
  const waiting = retry.mode === 'retry' ? revived.length : 0;
  const because = isOne ? 'it' : 'them';
  return [
    `workflow ${workflow_id}: ${isOne ? oneText(first, retry.run_id) : headline(retry)}`,
    ...(isOne ? [] : statusLines(jobs, style)),
    ...(waiting > 0
      ? [
          `  and ${jobsCounted(waiting)} that ${waiting === 1 ? 'was' : 'were'} canceled because of ${because}`,
        ]
      : []),
    ...nextLines(next, style),
  ];
}

function headline({ mode, dry_run, jobs, run_id }: ShownRetry): string {
  const count = jobsCounted(jobs.length);
  if (mode === 'retry') return `${dry_run ? 'would retry' : 'retried'} ${count} in run ${run_id}`;
  const again = `${dry_run ? 'would start' : 'started'} ${count} over`;
  return mode === 'new_run' ? `${again} in a new run, ${run_id}` : `${again} in run ${run_id}`;
}

function oneText({ name, status, attempt_id }: ShownRetry['jobs'][number], run: number): string {
  const job = `job ${visibleText(name)}`;
  return status === 'running'
    ? `${job} is retried when attempt ${attempt_id - 1} of run ${run} has been ended`
    : `${job} is queued for attempt ${attempt_id} of run ${run}`;
}
