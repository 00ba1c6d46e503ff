import type { RequestModel } from '../../core/request/request-model.ts';
import { hasOpenItems } from '../../store/rows/requests/inventory-rows.ts';
import type { Script } from '../../store/script.ts';

/** Whether anything is left to be planned or repeated: numbers to deliver, or items that are neither processed nor excluded. */
export function* hasWorkLeft(requestId: number, { work }: RequestModel, delivered: bigint): Script<boolean> {
  return work.kind === 'range' ? delivered < work.total : yield* hasOpenItems(requestId);
}
