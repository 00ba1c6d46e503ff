import type { RequestRecord } from '../../contract/records/request.ts';
import { MOST_HOOK_TRIES } from '../../core/request/output-hook.ts';
import { formatDuration } from '../../core/text/quantity.ts';
import { visibleText } from '../visible-text.ts';

type OutputErrand = RequestRecord['output_errands'][number];

const SUBJECTS: Record<OutputErrand['event'], string> = {
  registered: 'registration of outputs',
  invalidated: 'invalidation of outputs',
};

/** `registration of outputs (version 1) failed 2 of 10 times: exit 1; next try at 12:03:04`. */
export function outputErrandText(
  errand: OutputErrand,
  now: number,
  clockTime: (ms: number) => string,
): string {
  const { event, version, tries, started_at_ms, due_at_ms, problem } = errand;
  const subject = `${SUBJECTS[event]} (version ${version})`;
  if (started_at_ms !== null) {
    const nth = tries > 1 ? `, try ${tries} of ${MOST_HOOK_TRIES}` : '';
    return `${subject} running for ${formatDuration(Math.max(0, now - started_at_ms))}${nth}`;
  }
  if (problem === null) return `${subject} is waiting for a worker`;
  const failed = `failed ${tries} of ${MOST_HOOK_TRIES} times: ${visibleText(problem)}`;
  const next = due_at_ms > now ? `next try at ${clockTime(due_at_ms)}` : 'the next try is due';
  return `${subject} ${failed}; ${next}`;
}
