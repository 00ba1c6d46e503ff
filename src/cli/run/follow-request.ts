import type { Engine } from '../../contract/engine.ts';
import type { RequestRecord } from '../../contract/records/request.ts';
import type { CommandContext } from '../command-context.ts';
import { onInterrupt } from '../interrupts.ts';
import { startRequestProgress } from '../progress/request-progress.ts';
import { requestView } from '../texts/requests/request-text.ts';
import { Wakeups } from '../wakeups.ts';
import { isUnansweredFarewell, waitOutOutages } from './outages.ts';
import { REQUEST_EXIT, refOf } from './request-exit.ts';

const INTERRUPTED = 130;

/** Watches a server work off a request. Ctrl-C only stops watching. Returns the exit code. */
export async function followRequest(
  context: CommandContext,
  engine: Engine,
  request: RequestRecord,
): Promise<number> {
  const ref = refOf(request);
  const progress = await startRequestProgress(engine, ref, context);
  const following = new AbortController();
  const stopWaiting = waitOutOutages(context, engine, (line) => progress.note(line));
  const stopListening = onInterrupt((count) => {
    following.abort();
    stopWaiting();
    // A server that does not answer must not keep a person who wants to leave.
    if (count > 1) process.exit(INTERRUPTED);
  });
  const wakeups = new Wakeups(engine, following.signal);
  try {
    let now = await engine.getRequest(ref);
    while (REQUEST_EXIT[now.status] === undefined && !following.signal.aborted) {
      await wakeups.next();
      now = await engine.getRequest(ref);
    }
    if (following.signal.aborted) {
      progress.note(`request ${ref} continues; ${context.command('requests', 'stop', ref)} stops it`);
    }
    await progress.stop();
    context.show(requestView, { request: now });
    return following.signal.aborted ? INTERRUPTED : REQUEST_EXIT[now.status]!;
  } catch (error) {
    if (!isUnansweredFarewell(error, following.signal)) throw error;
    return INTERRUPTED;
  } finally {
    wakeups.stop();
    stopWaiting();
    await progress.stop();
    stopListening();
  }
}
