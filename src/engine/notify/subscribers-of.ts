import type { Subscriber } from '../../core/notify/notify-model.ts';
import { findServerSubscribers } from '../../store/rows/errands/notification-rows.ts';
import type { RequestRow } from '../../store/rows/requests/request-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';

/** Targets of the configuration of the process that drives it. */
export function* subscribersOf({
  shared,
  subscribers,
}: Pick<WorkflowRow | RequestRow, 'shared' | 'subscribers'>): Script<Subscriber[]> {
  const text = shared === 1 ? yield* findServerSubscribers() : subscribers;
  return JSON.parse(text) as Subscriber[];
}
