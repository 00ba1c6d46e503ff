import type { EventRecord, EventType } from '../../contract/records/records.ts';

/** What happened to an allocation; null for events about something else. */
export function allocationEventText({ type, reason, data }: EventRecord): string | null {
  const said = WORDS[type];
  if (said === undefined) return null;
  const name = `allocation ${data.cluster_id ?? data.tag}`;
  const text = said(name, String(data.scheduler));
  return reason === null ? text : `${text}: ${reason}`;
}

const WORDS: Partial<Record<EventType, (name: string, scheduler: string) => string>> = {
  allocation_ordered: (_, scheduler) => `an allocation of scheduler ${scheduler}`,
  allocation_submitted: (name, scheduler) => `${name} of scheduler ${scheduler} is submitted`,
  allocation_refused: (_, scheduler) => `scheduler ${scheduler}`,
  allocation_waiting: (name) => name,
  allocation_started: (name) => `${name} has started`,
  allocation_requeued: (name) => `${name} is queued again`,
  allocation_canceled: (name) => `${name} is canceled`,
  allocation_ended: (name) => `${name} has ended`,
  cluster_absent: () => 'the cluster is away, and is asked again every minute',
  scheduler_paused: (_, scheduler) => `scheduler ${scheduler} is paused`,
  scheduler_resumed: (_, scheduler) => `scheduler ${scheduler} is resumed`,
};
