import type { AuditRecord } from '../../contract/records/records.ts';
import { dagEventText } from '../events/dag-event-text.ts';
import { visibleText } from '../visible-text.ts';

type Data = Record<string, unknown>;

const LINES: Record<string, (data: Data, subject: string) => string | null> = {
  request_submitted: () => null,
  request_admitted: () => null,
  request_imported: ({ directory, dag }) => `imported from ${directory}/${dag}`,
  round_planned: ({ round, units, workflow_id }) =>
    `round ${round} begins: ${units} ${units === 1 ? 'unit' : 'units'} (workflow ${workflow_id})`,
  round_resumed: ({ round }) => `round ${round} is resumed`,
  round_close: ({ round, reason }) => `round ${round} ended: ${reason}`,
  round_rescue: ({ round, reason }) => `round ${round} ended: ${reason}`,
  round_hold: () => null,
  request_held: ({ text }) => `held: ${text}`,
  request_completed: () => 'completed',
  request_failed: ({ reason }) => `failed${reason === null ? '' : `: ${reason}`}`,
  request_released: ({ reason }) => `released${reason === null ? '' : `: ${reason}`}`,
  request_stopping: ({ reason }) => `stopping${reason === null ? '' : `: ${reason}`}`,
  request_stopped: ({ state }) => `stopped; it is ${state}`,
  request_paused: ({ reason }) => `paused${reason === null ? '' : `: ${reason}`}`,
  request_resumed: ({ reason }) => `resumed${reason === null ? '' : `: ${reason}`}`,
  outputs_registered: () => null,
  output_hook_failed: ({ event, tries, problem }) =>
    `the hook output_${event} failed ${tries} times and is not repeated: ${problem}`,
  outputs_superseded: ({ by }) => `its outputs are superseded by ${by}`,
  outputs_invalidated: ({ reason }) => `its outputs are invalidated${reason == null ? '' : `: ${reason}`}`,
  site_banned: ({ reason }, subject) => `${subject} is banned: ${reason}`,
  site_ban_promoted: ({ reason }, subject) => `${subject} is banned for all work: ${reason}`,
  site_ban_expired: (_, subject) => `the ban of ${subject} is over`,
  site_unbanned: (_, subject) => `the ban of ${subject} was removed`,
  notification_sent: ({ event, target }) => `"${event}" was sent to ${target}`,
  notification_failed: ({ event, target, problem }) =>
    `"${event}" could not be sent to ${target}: ${problem}`,
};

/** What needs no line among what is worth knowing. */
const ROUTINE: Record<string, string> = {
  request_submitted: 'submitted',
  request_admitted: 'admitted',
  round_hold: 'the round ended',
  outputs_registered: 'outputs registered',
};

/** What happened to a request, as one line; null for what needs none. */
export function historyText({ action, subject, data }: AuditRecord): string | null {
  const line = LINES[action];
  const text =
    line === undefined
      ? (dagEventText(action, data ?? {}) ?? `${action} ${subject}`)
      : line(data ?? {}, subject);
  return text === null ? null : visibleText(text);
}

/** The same for lists that leave nothing out. */
export function fullHistoryText(record: AuditRecord): string {
  return historyText(record) ?? ROUTINE[record.action] ?? visibleText(record.action);
}
