import { call } from '../api/call.ts';
import { counted, someOf } from '../parts/words.ts';
import type { Effect, Order } from './bulk-action.ts';
import { listedJobs } from './listed-jobs.ts';

/** A request has no more decisions. */
const MOST = 10_000;

/** Those of an order that wait for a decision: they are decided about, and each is named. */
export async function waitingJobs(
  workflow: number,
  { selection: { jobs }, waiting }: Pick<Order, 'selection' | 'waiting'>,
): Promise<number[]> {
  if (jobs === undefined && waiting === undefined) return [];
  const filter = { name: waiting?.name ?? '', statuses: ['pending_failed' as const] };
  if (jobs === undefined) return listedJobs(workflow, filter, MOST);
  const chosen = new Set(jobs);
  const ids = await listedJobs(workflow, filter, Number.POSITIVE_INFINITY);
  return ids.filter((id) => chosen.has(id)).slice(0, MOST);
}

/** Retries or fails jobs that wait for a decision, or finds out what that would do. */
export async function decide(
  workflow: number,
  ids: readonly number[],
  { action, selection, reason }: Order,
  isDryRun: boolean,
): Promise<Effect> {
  const others = (selection.jobs?.length ?? ids.length) - ids.length;
  if (ids.length === 0) return { count: 0, sentences: ['None of these jobs waits for a decision.'] };
  if (others > 0) {
    const sentence = `${ids.length} of these jobs ${ids.length === 1 ? 'waits' : 'wait'} for a decision, the others do not. Choose either.`;
    return { count: 0, sentences: [sentence] };
  }
  const isRetry = action === 'retry';
  const { jobs } = await call('resolve', workflow, {
    decisions: ids.map((id) => ({
      job_id: id,
      action: isRetry ? ('retry' as const) : ('fail' as const),
      ...(reason.trim() !== '' && { reason: reason.trim() }),
    })),
    dry_run: isDryRun,
  });
  const names = jobs.map(({ name }) => name);
  const canceled = [...new Set(jobs.flatMap((job) => job.canceled))];
  const verb = isRetry
    ? names.length === 1
      ? 'is retried'
      : 'are retried'
    : names.length === 1
      ? 'fails for good'
      : 'fail for good';
  return {
    count: names.length,
    sentences: [
      `${counted(names.length, 'job')} ${verb}: ${someOf(names)}.`,
      ...(canceled.length === 0
        ? []
        : [`Canceled with ${names.length === 1 ? 'it' : 'them'}: ${someOf(canceled)}.`]),
    ],
  };
}
