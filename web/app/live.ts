import { ApiError, ask } from '../api/call.ts';
import { isDue } from './pacing.ts';
import { queryClient } from './queries.ts';
import { noteError } from './session.ts';
import { SharedValue } from './shared-value.ts';

/** Whether what is shown follows the server; `since`: the last time that it did. */
export type Liveness = { live: true } | { live: false; since: number };

const WAIT_MS = 20_000;
/** Above the longest wait, which a connection that was lost silently would exceed. */
const PATIENCE_MS = 30_000;
/** At most so often is everything on the page read again. */
const REFRESH_MS = 1_000;
const RETRY_MS = [500, 1_000, 2_000, 4_000];

const liveness = new SharedValue<Liveness>({ live: true });
let lastContact = Date.now();

export const useLiveness = liveness.use;

function setLive(): void {
  if (!liveness.value.live) liveness.set({ live: true });
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Waits for changes until the signal ends it, and has the page read again what it shows. */
export async function followChanges(signal: AbortSignal): Promise<void> {
  let version: string | null = null;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const query: string = version === null ? '' : `?since=${version}&timeout_ms=${WAIT_MS}`;
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
      const answer = await ask(`/api/v1/changes${query}`, { signal: inTime });
      const changes = (await answer.json()) as { version: string; changed: boolean };
      const isNews = failures > 0 || (version !== null && changes.changed);
      version = changes.version;
      failures = 0;
      lastContact = Date.now();
      if (isNews) {
        const began = Date.now();
        await queryClient.invalidateQueries({ predicate: isDue });
        setLive();
        // A page that takes long to read is read less often.
        await pause(Math.max(REFRESH_MS, 2 * (Date.now() - began)), signal);
      } else setLive();
    } catch (error) {
      if (signal.aborted) return;
      noteError(error);
      if (error instanceof ApiError && error.status === 401) return;
      failures += 1;
      liveness.set({ live: false, since: lastContact });
      await pause(RETRY_MS[Math.min(failures, RETRY_MS.length) - 1]!, signal);
    }
  }
}
