import type { Engine, ServedEngine } from '../../contract/engine.ts';
import type { Sender, UnsentNotification } from '../../contract/records/notification.ts';
import { visibleText } from '../../views/visible-text.ts';
import type { CommandContext } from '../command-context.ts';
import { GRPC } from '../config/trace-settings.ts';
import { onInterrupt } from '../interrupts.ts';

/** How long a process that has nothing else left to do waits for receivers of notifications. */
const PATIENCE_MS = 3_000;
/** Many commits are followed by one look. */
const LOOK_AFTER_MS = 50;

export interface RunNotifier {
  /** Sends what is left, within a few seconds, and reports what was not sent. */
  finish(): Promise<void>;
}

/** Sends notifications of what this process drives, beside it. A server does it for its own workflows. */
export async function notifyOf(
  context: CommandContext,
  engine: Engine,
  sender: Exclude<Sender, 'shared'>,
): Promise<RunNotifier> {
  if (!isServed(engine)) return { finish: async () => {} };
  warnOfTraces(context);
  await engine.subscribe(sender);
  let timer: NodeJS.Timeout | null = null;
  const stopListening = engine.onChange(() => {
    timer ??= setTimeout(() => {
      timer = null;
      // What cannot be sent now is sent at the end.
      void engine.sendNotifications(sender).catch(() => {});
    }, LOOK_AFTER_MS);
  });
  return {
    finish: async () => {
      stopListening();
      if (timer !== null) clearTimeout(timer);
      reportUnsent(context, await finishWithin(engine, sender), sender);
    },
  };
}

/** Those who set the variables expect traces. */
export function warnOfTraces({ origins, narrate }: Pick<CommandContext, 'origins' | 'narrate'>): void {
  if (origins.some(({ key, source }) => key === 'traces' && source === GRPC)) {
    narrate(`no traces are sent: ${GRPC} is grpc; only http/json is supported`);
  }
}

function isServed(engine: Engine): engine is ServedEngine {
  return 'sendNotifications' in engine;
}

/** Ctrl-C ends the wait. */
async function finishWithin(
  engine: ServedEngine,
  sender: Exclude<Sender, 'shared'>,
): Promise<UnsentNotification[]> {
  const over = new AbortController();
  const stopListening = onInterrupt(() => over.abort());
  const timer = setTimeout(() => over.abort(), PATIENCE_MS);
  try {
    return await engine.finishNotifications(sender, over.signal);
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}

function reportUnsent(
  context: CommandContext,
  unsent: readonly UnsentNotification[],
  sender: Exclude<Sender, 'shared'>,
): void {
  if (unsent.length === 0) return;
  for (const { event, target, problem } of unsent) {
    const why = problem === null ? 'no answer yet' : visibleText(problem);
    const what = event === 'spans' ? 'spans not sent' : `not notified of ${event}`;
    context.narrate(`${what}: ${visibleText(target)}: ${why}`);
  }
  const again =
    'request' in sender
      ? context.command('requests', 'run', sender.request)
      : context.command('run', sender.workflow_id);
  context.narrate(`${again} tries again`);
}
