import type { EventRecord, EventType, Explanation } from '../contract/records/records.ts';

/** An explanation with what people and agents decided about the job and changed of it, oldest first. */
export interface ExplainedJob extends Explanation {
  decisions: EventRecord[];
}

const DECISIONS: ReadonlySet<EventType> = new Set<EventType>(['decision', 'resources_changed']);

/** `events`: those of the job. */
export function explainedJob(explanation: Explanation, events: readonly EventRecord[]): ExplainedJob {
  return { ...explanation, decisions: events.filter(({ type }) => DECISIONS.has(type)) };
}

/** Decisions about one attempt; with null those about the job as a whole. */
export function decisionsAbout(
  { decisions }: ExplainedJob,
  attempt: { run_id: number; attempt_id: number } | null,
): EventRecord[] {
  return decisions.filter(({ run_id, attempt_id }) =>
    attempt === null ? attempt_id === null : run_id === attempt.run_id && attempt_id === attempt.attempt_id,
  );
}
