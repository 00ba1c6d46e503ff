import type { WorkflowRecord } from '../contract/records/records.ts';
import { visibleText } from './visible-text.ts';

/** `paused by ada (maintenance)`; null for a workflow that is not paused. */
export function pausedBy({ paused }: Pick<WorkflowRecord, 'paused'>): string | null {
  if (paused === null) return null;
  const why = paused.reason === null ? '' : ` (${visibleText(paused.reason)})`;
  return `${paused.stopping ? 'stopped' : 'paused'} by ${visibleText(paused.actor)}${why}`;
}
