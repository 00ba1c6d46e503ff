import { HoldfastError } from '../../../core/errors.ts';
import { describeTarget } from '../../../core/notify/describe-target.ts';
import { composeMessage, type EdgeFacts } from '../../../core/notify/message.ts';
import type { ConfiguredTarget } from '../../../core/notify/notify-model.ts';
import { NOTIFY_TIMEOUT_MS } from '../../../core/notify/retry-delays.ts';
import { sendNotification } from '../../../notify/send-notification.ts';
import { didYouMean } from '../../../spec/suggest.ts';
import { visibleText } from '../../../views/visible-text.ts';
import type { Command, CommandContext } from '../../command-context.ts';
import { refuseServer } from '../../config/refuse-server.ts';
import { type Check, checksView } from '../../texts/lists/checks.ts';

/** Sends a test message to targets of the configuration, all of them or one. Exits with 1 if one does not take it. */
export const notifyCommand: Command = async (context, { args }) => {
  const [action, name] = args;
  if (action !== 'test') {
    throw invalid('notify', `there is no action ${action}; \`holdfast notify test\` sends a test message`);
  }
  refuseServer(context, 'targets are in the configuration of the server; run the command where it runs');
  const sent = await Promise.all(chosen(context, name).map((target) => sendTest(context, target)));
  context.show(checksView, sent);
  return sent.every(({ result }) => result === 'ok') ? 0 : 1;
};

function chosen({ settings: { notify } }: CommandContext, name: string | undefined): ConfiguredTarget[] {
  if (notify.length === 0) {
    throw invalid('notify', 'the configuration has no targets; add them under `notify` in config.yaml');
  }
  if (name === undefined) return notify;
  const found = notify.find((target) => target.name === name);
  if (found !== undefined) return [found];
  const names = notify.map((target) => target.name);
  throw invalid(name, `is not a target${didYouMean(name, names) || `; there are ${names.join(', ')}`}`);
}

async function sendTest(context: CommandContext, configured: ConfiguredTarget): Promise<Check> {
  const { name, target, title, text } = configured;
  const facts = exampleFacts();
  const message = composeMessage(facts, { title, text });
  const shown = { name, detail: visibleText(describeTarget(target)) };
  try {
    await sendNotification(
      target,
      {
        facts,
        message: { ...message, title: `Test: ${message.title}` },
        key: `test/${name}/${facts.at_ms}`,
        cwd: process.cwd(),
      },
      context.sendingPlace,
      AbortSignal.timeout(NOTIFY_TIMEOUT_MS),
    );
    return { ...shown, result: 'ok', hint: null };
  } catch (error) {
    return { ...shown, result: 'fail', hint: visibleText((error as Error).message) };
  }
}

function exampleFacts(): EdgeFacts {
  return {
    event: 'failed',
    subject: 'workflow',
    workflow_id: 0,
    run_id: 1,
    name: 'example',
    state: 'failed',
    jobs: { total: 3, completed: 2, failed: 1, canceled: 0, waiting: 0 },
    failures: [{ name: 'train', reason: 'exit code 1' }],
    reason: null,
    at_ms: Date.now(),
  };
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
