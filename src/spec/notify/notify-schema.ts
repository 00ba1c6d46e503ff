import { z } from 'zod';
import { EDGES } from '../../core/notify/edges.ts';
import { commandText, nameText } from '../schema/scalars.ts';

/** A text that may be secret. What it has to look like is checked where its place is known. */
const secretText = z
  .union(
    [
      nameText,
      z.strictObject({ env: nameText.describe('Variable that has it.') }),
      z.strictObject({ file: nameText.describe('File that has it.') }),
    ],
    { error: 'expected a text, or {env: NAME} or {file: PATH}' },
  )
  .meta({ title: 'text, {env: NAME} or {file: PATH}' });

export const notifySchema = z
  .strictObject({
    to: nameText.optional().describe('A target in the configuration of the process that runs it, by name.'),
    webhook: secretText.optional().describe('Address that is sent JSON by POST.'),
    slack: secretText
      .optional()
      .describe('Address of an incoming webhook of Slack, or of what accepts the same.'),
    mail: z
      .union([nameText, z.array(nameText).min(1)], { error: 'expected an address or a list of addresses' })
      .optional()
      .describe('Addresses that are sent mail, by `smtp` of the configuration.'),
    command: commandText.optional().describe('Shell command that reads the message as JSON from stdin.'),
    on: z
      .union([z.enum(EDGES), z.array(z.enum(EDGES)).min(1)], {
        error: `expected ${EDGES.join(', ')}, or a list of them`,
      })
      .optional()
      .describe('Moments: `failed`, `waiting`, `held`, `recovered`, `finished`. (default: all of them)'),
    title: nameText
      .optional()
      .describe('First line of the message, with [placeholders](notifications.md#templates).'),
    text: z.string().optional().describe('The message, with [placeholders](notifications.md#templates).'),
  })
  .meta({
    id: 'Notify',
    description:
      'One receiver of [notifications](notifications.md): exactly one of `to`, `webhook`, `slack`, `mail` and `command`.',
  });

export type NotifySpec = z.infer<typeof notifySchema>;
