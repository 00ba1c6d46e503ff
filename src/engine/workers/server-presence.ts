import { setServerSubscribers } from '../../store/rows/errands/notification-rows.ts';
import { noteServer, setServer } from '../../store/rows/workers/presence-rows.ts';
import { extendLeases, shortenLeases } from '../../store/rows/workers/worker-rows.ts';
import type { Script } from '../../store/script.ts';

/** A server that has not swept for so long stood still, or its database did: nobody could renew a lease. */
const STOOD_STILL_MS = 60_000;
/** Launchers end what they have two seconds before a lease ends, so that less does not matter. */
const LEAST_JUMP_MS = 1_000;

/**
 * A server starts: the time during which none was up does not count for any lease. `subscribers`: targets of its
 * configuration, which are notified of all shared work.
 */
export function* serverStarts(now: number, subscribers: string): Script<void> {
  yield* leaveOut(yield* noteServer(now), now, 0);
  yield* setServerSubscribers(subscribers);
}

/**
 * A server is still there. `jump`: how far its clock was set since it last was. Launchers measure leases with a clock that
 * cannot be set. A clock that was set forward must not end a lease before they do, and one that was set back must keep
 * no dead worker.
 */
export function* serverIsUp(now: number, jump: number): Script<void> {
  const seenAt = yield* noteServer(now);
  if (jump > LEAST_JUMP_MS) yield* extendLeases(jump, now);
  else yield* leaveOut(seenAt, now, STOOD_STILL_MS);
  if (jump < -LEAST_JUMP_MS) yield* setServer(now);
  yield* shortenLeases(now);
}

function* leaveOut(seenAt: number | null, now: number, least: number): Script<void> {
  const absence = seenAt === null ? 0 : now - seenAt;
  if (absence > least) yield* extendLeases(absence, now);
}
