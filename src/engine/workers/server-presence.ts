import { setServerSubscribers } from '../../store/rows/errands/notification-rows.ts';
import { noteServer } from '../../store/rows/workers/presence-rows.ts';
import { extendLeases } from '../../store/rows/workers/worker-rows.ts';
import type { Script } from '../../store/script.ts';

/** A server that has not swept for so long stood still, or its database did: nobody could renew a lease. */
const STOOD_STILL_MS = 60_000;

/**
 * A server starts: the time during which none was up does not count for any lease. `subscribers`: targets of its
 * configuration, which are notified of all shared work.
 */
export function* serverStarts(now: number, subscribers: string): Script<void> {
  yield* leaveOut(yield* noteServer(now), now, 0);
  yield* setServerSubscribers(subscribers);
}

/** A server is still there. */
export function* serverIsUp(now: number): Script<void> {
  yield* leaveOut(yield* noteServer(now), now, STOOD_STILL_MS);
}

function* leaveOut(seenAt: number | null, now: number, least: number): Script<void> {
  const absence = seenAt === null ? 0 : now - seenAt;
  if (absence > least) yield* extendLeases(absence, now);
}
