import type { ServerErrandHandler } from '../contract/records/errand.ts';
import { composeMessage, type EdgeFacts } from '../core/notify/message.ts';
import type {
  ConfiguredTarget,
  MessageTemplates,
  NotifyEntry,
  NotifyTarget,
} from '../core/notify/notify-model.ts';
import { notifyDelayMs } from '../core/notify/retry-delays.ts';
import type { SendingPlace } from './send-notification.ts';
import type { TraceErrand } from './send-trace.ts';

/** What a notification errand has, as the engine stores it. */
interface NotificationOrder {
  facts: EdgeFacts;
  entry: Omit<NotifyEntry, 'on'>;
  key: string;
  cwd: string;
}

/** Sends notifications and spans as errands. A target that is named by a spec is looked up when it is needed. */
export function notificationHandler(
  targets: readonly ConfiguredTarget[],
  place: SendingPlace,
): ServerErrandHandler {
  return {
    kind: 'notification',
    retryMs: notifyDelayMs,
    run: async ({ data }, signal, tools) => {
      const order = data as NotificationOrder | TraceErrand;
      // Most commands send nothing, and need not load HTTP and mail.
      if ('trace' in order) return (await import('./send-trace.ts')).sendTrace(order, place, signal, tools);
      const { sendNotification } = await import('./send-notification.ts');
      const { facts, entry, key, cwd } = order;
      const { target, ...templates } = found(entry, targets);
      await sendNotification(
        target,
        { facts, message: composeMessage(facts, templates), key, cwd },
        place,
        signal,
      );
      return null;
    },
  };
}

/** Texts of the spec replace those of the configuration. */
function found(
  { target, title, text }: Omit<NotifyEntry, 'on'>,
  targets: readonly ConfiguredTarget[],
): { target: NotifyTarget } & MessageTemplates {
  if (target.kind !== 'named') return { target, title, text };
  const configured = targets.find(({ name }) => name === target.name);
  if (configured === undefined)
    throw new Error(`the configuration has no target ${target.name} in \`notify\``);
  return { target: configured.target, title: title ?? configured.title, text: text ?? configured.text };
}
