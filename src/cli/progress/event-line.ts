import type { EventRecord, EventType } from '../../contract/records/records.ts';
import { formatDuration } from '../../core/text/quantity.ts';
import { allocationEventText } from '../../views/events/allocation-event-text.ts';
import { dagEventText } from '../../views/events/dag-event-text.ts';
import { eventText } from '../../views/events/event-text.ts';
import { reasonOf } from '../../views/route-trace.ts';
import { visibleText } from '../../views/visible-text.ts';
import { clockTime } from '../terminal/local-time.ts';
import type { Style, StyledLine } from '../terminal/styled-line.ts';
import { recordLabel } from '../texts/parts/record-label.ts';

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
  decision: { word: 'decided', style: 'yellow' },
  resources_changed: { word: 'changed', style: 'yellow' },
  agent: { word: 'agent', style: 'cyan' },
  note: { word: 'note', style: 'cyan' },
  workflow_paused: { word: 'paused', style: 'yellow' },
  workflow_stopped: { word: 'stopped', style: 'yellow' },
  workflow_resumed: { word: 'resumed', style: 'cyan' },
  run_reset: { word: 'reset', style: 'yellow' },
  workflow_updated: { word: 'updated', style: 'yellow' },
  goto: { word: 'goto', style: 'yellow' },
  loop_abort: { word: 'abort', style: 'red' },
  remediation: { word: 'remedy', style: 'yellow' },
  call: { word: 'call', style: 'cyan' },
  supersede: { word: 'dropped', style: 'dim' },
  disable: { word: 'skipped', style: 'dim' },
  expand: { word: 'items', style: 'cyan' },
  evaluation_failure: { word: 'code', style: 'red' },
  allocation_submitted: { word: 'slurm', style: 'cyan' },
  allocation_refused: { word: 'slurm', style: 'red' },
  allocation_waiting: { word: 'slurm', style: 'yellow' },
  allocation_worker: { word: 'slurm', style: 'cyan' },
  allocation_requeued: { word: 'slurm', style: 'yellow' },
  allocation_ended: { word: 'slurm', style: 'dim' },
  dag_submitted: { word: 'dagman', style: 'cyan' },
  dag_problem: { word: 'dagman', style: 'red' },
  dag_crashed: { word: 'dagman', style: 'red' },
  dag_ended: { word: 'dagman', style: 'dim' },
  cluster_absent: { word: 'slurm', style: 'red' },
  scheduler_paused: { word: 'slurm', style: 'red' },
};

/**
 * `12:01:09 retry   train_1  exit 1 - retry 1 of 3 after 2s`; null for events that change nothing about a job.
 */
export function eventLine(event: EventRecord): StyledLine | null {
  const kind = WORDS[event.type];
  if (kind === undefined) return null;
  const name =
    event.job_name === null
      ? ''
      : `${visibleText(recordLabel({ job_name: event.job_name, scope: event.scope }))}  `;
  return [
    { text: `${clockTime(event.at_ms)} ` },
    { text: kind.word.padEnd(8), style: kind.style },
    { text: `${name}${visibleText(eventWords(event))}` },
  ];
}

function eventWords(event: EventRecord): string {
  const { type, data } = event;
  switch (type) {
    case 'completed':
      return typeof data.duration_ms === 'number' ? formatDuration(data.duration_ms) : '';
    case 'remediation':
    case 'call': {
      const place = Number(data.of) > 1 ? ` (${data.position} of ${data.of})` : '';
      return `runs ${data.step}${place}${type === 'remediation' ? ' before it is tried again' : ''}`;
    }
    case 'expand':
      return `${data.items} ${data.items === 1 ? 'item' : 'items'}`;
    case 'workflow_paused':
    case 'workflow_stopped':
    case 'workflow_resumed':
    case 'workflow_archived':
    case 'workflow_unarchived':
      return `by ${event.actor}${event.reason === null ? '' : ` (${event.reason})`}`;
    case 'decision':
    case 'resources_changed':
    case 'agent':
    case 'note':
      return eventText(event) ?? '';
    default:
      return allocationEventText(event) ?? dagEventText(type, data) ?? reasonOf(event);
  }
}
