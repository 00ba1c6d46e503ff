import type { EdgeFacts, Message } from '../core/notify/message.ts';
import type { NotifyTarget, SmtpSettings, TraceSettings } from '../core/notify/notify-model.ts';
import { mailText } from './mail-text.ts';
import { slackBody, webhookBody } from './message-bodies.ts';
import { postJson } from './post-json.ts';
import { readSecret } from './read-secret.ts';
import { runNotifyCommand } from './run-notify-command.ts';
import { sendMail } from './send-mail.ts';

export interface Notification {
  facts: EdgeFacts;
  message: Message;
  /** The same in every try. */
  key: string;
  /** Where a command runs. */
  cwd: string;
}

/** What sending needs of the process. */
export interface SendingPlace {
  smtp: SmtpSettings | null;
  /** Where spans go; null: they are not sent. */
  traces: TraceSettings | null;
  version(): string;
  /** Variables that have secrets. */
  secrets: NodeJS.ProcessEnv;
  /** What commands see. */
  env: NodeJS.ProcessEnv;
}

/** Sends one message. Rejects with a reason that has no secrets. */
export async function sendNotification(
  target: NotifyTarget,
  { facts, message, key, cwd }: Notification,
  { smtp, secrets, env }: SendingPlace,
  signal: AbortSignal,
): Promise<void> {
  const headers = { 'idempotency-key': Buffer.from(key).toString('base64url') };
  switch (target.kind) {
    case 'webhook':
    case 'slack': {
      const body = target.kind === 'slack' ? slackBody(message) : webhookBody(facts, message, key);
      await postJson(await readSecret(target.url, secrets), body, headers, signal);
      return;
    }
    case 'mail': {
      if (smtp === null) throw new Error('mail needs `smtp` in the configuration');
      const password = smtp.password === null ? null : await readSecret(smtp.password, secrets);
      const text = mailText({ from: smtp.from, to: target.to, message, key, at: facts.at_ms });
      return sendMail({ ...smtp, password }, { to: target.to, text }, signal);
    }
    case 'command': {
      const input = `${JSON.stringify(webhookBody(facts, message, key), null, 2)}\n`;
      const known = { HOLDFAST_EVENT: facts.event, HOLDFAST_IDEMPOTENCY_KEY: key };
      return runNotifyCommand({ command: target.command, cwd, input, env: { ...env, ...known } }, signal);
    }
  }
}
