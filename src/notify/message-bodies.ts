import type { EdgeFacts, Message } from '../core/notify/message.ts';

/** What a webhook is sent, and what a command reads from stdin. */
export interface WebhookBody extends EdgeFacts, Message {
  /** The same in every try: a receiver that was sent it twice can detect that. */
  idempotency_key: string;
  at: string;
}

export function webhookBody(facts: EdgeFacts, message: Message, key: string): WebhookBody {
  return { ...message, ...facts, at: new Date(facts.at_ms).toISOString(), idempotency_key: key };
}

/** In Slack's text these three have a meaning: `<!channel>` would call everybody. */
function slackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Names of jobs in it cannot begin formatting: the text is a literal block. */
export function slackBody({ title, text }: Message): { text: string } {
  const literal = slackText(text).replaceAll('`', 'ˋ');
  return {
    text: `${slackText(title).replaceAll(/[*_~`]/g, (mark) => `\u200b${mark}`)}\n\`\`\`\n${literal}\n\`\`\``,
  };
}
