import type { AllocationRecord } from '../../contract/records/allocation.ts';

/** Why an allocation waits, or how it ended; null where its state says all. */
export function allocationReason({
  state,
  word,
  why,
  never,
  end,
  cancel_reason,
  workers,
}: Pick<AllocationRecord, 'state' | 'word' | 'why' | 'never' | 'end' | 'cancel_reason' | 'workers'>):
  | string
  | null {
  if (state === 'ended') {
    const unseen = workers === 0 && end !== 'unsubmitted' ? ', its worker never came' : '';
    return `${end ?? 'unknown'}${unseen}${cancel_reason === null ? '' : `: ${cancel_reason}`}`;
  }
  if (cancel_reason !== null) return `to be canceled: ${cancel_reason}`;
  if (state !== 'queued') return null;
  const reason = why === null ? word : `${word ?? 'PENDING'}: ${why}`;
  return never ? `${reason} (can never start)` : reason;
}
