import { setTimeout as sleep } from 'node:timers/promises';
import type { Sender, UnsentNotification } from '../../contract/records/notification.ts';
import { listOpenNotifications, type NotificationData } from '../../store/rows/errands/notification-rows.ts';
import type { Store } from '../../store/store.ts';
import { sentBy } from '../notify/end-notification.ts';
import type { ServerErrandRunner } from './server-errand-runner.ts';

/** How often notifications that another process holds, or that are due later, are looked at. */
const LOOK_MS = 200;
const LONGEST_WAIT_MS = 60_000;

/** Sends what is open until nothing is, or the signal is aborted. Returns what was not sent. */
export async function finishNotifications(
  store: Store,
  runner: Pick<ServerErrandRunner, 'sweep' | 'settled' | 'isBusy'>,
  sender: Exclude<Sender, 'shared'>,
  signal: AbortSignal,
): Promise<UnsentNotification[]> {
  for (;;) {
    const open = await store.read(() => listOpenNotifications(sender));
    if (open.length === 0 || signal.aborted) {
      return open.map(({ id, data, tries }) => {
        const { problem } = JSON.parse(data) as Pick<NotificationData, 'problem'>;
        return { id, ...sentBy(data), tries, problem };
      });
    }
    await runner.sweep(sender);
    const aborted = new AbortController();
    const pause = sleep(runner.isBusy ? LONGEST_WAIT_MS : LOOK_MS, undefined, {
      signal: AbortSignal.any([signal, aborted.signal]),
    }).catch(() => {});
    await Promise.race([pause, ...(runner.isBusy ? [runner.settled()] : [])]);
    aborted.abort();
  }
}
