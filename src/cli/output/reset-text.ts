import type { ResetResult } from '../../core/engine.ts';
import type { ResetFacts } from './renderer.ts';
import type { TextStyle } from './text-style.ts';
import { visibleText } from './visible-text.ts';
import { statusStyle } from './workflow-state.ts';

const JOBS_SHOWN = 20;

/** How many jobs start over in which run, the first of them with the status they had, and the next command. */
export function resetText(
  { run_id, jobs }: ResetResult,
  { workflowId, dryRun, next }: ResetFacts,
  { paint }: TextStyle,
): string[] {
  if (jobs.length === 0) return [`workflow ${workflowId}: there is nothing to reset`];
  const count = `${jobs.length} ${jobs.length === 1 ? 'job' : 'jobs'}`;
  const lines = [
    `workflow ${workflowId}: ${dryRun ? `would reset ${count} and begin` : `reset ${count} and began`} run ${run_id}`,
  ];
  const shown = jobs.slice(0, JOBS_SHOWN);
  const width = Math.max(...shown.map(({ status }) => status.length));
  for (const { name, status } of shown) {
    lines.push(`  ${paint(statusStyle(status) ?? 'dim', status.padEnd(width))}  ${visibleText(name)}`);
  }
  if (jobs.length > shown.length) lines.push(`  and ${jobs.length - shown.length} more`);
  return [...lines, `next: ${next}`];
}
