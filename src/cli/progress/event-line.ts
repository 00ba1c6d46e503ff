import { formatDuration } from '../../core/quantity.ts';
import type { EventRecord, EventType } from '../../core/records.ts';
import { clockTime } from '../output/local-time.ts';
import type { Style, StyledLine } from '../output/styled-line.ts';
import { visibleText } from '../output/visible-text.ts';

const WORDS: Partial<Record<EventType, { word: string; style: Style }>> = {
  completed: { word: 'ok', style: 'green' },
  retry: { word: 'retry', style: 'yellow' },
  requeue: { word: 'again', style: 'yellow' },
  failure: { word: 'failed', style: 'red' },
  cancel: { word: 'cancel', style: 'yellow' },
  ask: { word: 'ask', style: 'yellow' },
  abort: { word: 'abort', style: 'red' },
  recovery: { word: 'recover', style: 'yellow' },
  manual_retry: { word: 'retry', style: 'yellow' },
  run_reset: { word: 'reset', style: 'yellow' },
};

/**
 * `12:01:09 retry   train_1  exit 1 - retry 1 of 3 after 2s`; null for events that change nothing about a job.
 */
export function eventLine(event: EventRecord): StyledLine | null {
  const kind = WORDS[event.type];
  if (kind === undefined) return null;
  const name = event.job_name === null ? '' : `${visibleText(event.job_name)}  `;
  return [
    { text: `${clockTime(event.at_ms)} ` },
    { text: kind.word.padEnd(8), style: kind.style },
    { text: `${name}${visibleText(told(event))}` },
  ];
}

function told({ type, reason, data }: EventRecord): string {
  const took = typeof data.duration_ms === 'number' ? formatDuration(data.duration_ms) : '';
  if (type === 'completed') return took;
  const outcome = typeof data.outcome === 'string' ? data.outcome : null;
  // A reason often begins with the outcome; nothing is told twice.
  const parts = reason?.startsWith(outcome ?? '') ? [reason] : [outcome, reason];
  return parts.filter((part) => part !== null && part !== '').join(' - ');
}
