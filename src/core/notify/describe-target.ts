import { maskedUrl } from './check-target.ts';
import { EDGES } from './edges.ts';
import type { NotifyEntry, NotifyTarget } from './notify-model.ts';

const SHOWN_COMMAND = 60;

/** A target in words, without its secrets. */
export function describeTarget(target: NotifyTarget | NotifyEntry['target']): string {
  switch (target.kind) {
    case 'named':
      return target.name;
    case 'webhook':
    case 'slack':
      return `${target.kind} ${maskedUrl(target.url)}`;
    case 'mail':
      return `mail to ${target.to.join(', ')}`;
    case 'command':
      return `command ${shortened(target.command)}`;
  }
}

/** Its first line. */
function shortened(command: string): string {
  const [line = ''] = command.trim().split('\n');
  return line.length < command.trim().length || line.length > SHOWN_COMMAND
    ? `${line.slice(0, SHOWN_COMMAND)}…`
    : line;
}

/** Messages to the same place wait for each other; those to other places do not. */
export function targetKey(target: NotifyEntry['target']): string {
  return `${target.kind} ${target.kind === 'named' ? target.name : describeTarget(target)}`;
}

/** Who is notified of what, in words and without secrets. */
export function notifySentences(entries: readonly NotifyEntry[] = []): string[] {
  return entries.map(({ target, on }) => {
    const edges = on.length === EDGES.length ? 'everything' : on.join(', ');
    return `notifies ${describeTarget(target)} of ${edges}`;
  });
}
