import type { Hint } from '../../../contract/records/hint.ts';
import type { TextStyle } from '../../terminal/text-style.ts';

/** The command that does what a hint says. */
export function hintCommand(hint: Hint, { command }: Pick<TextStyle, 'command'>): string {
  const { kind, workflow } = hint;
  switch (kind) {
    // `run` follows a run that another process drives.
    case 'run':
      return command('run', workflow, ...(hint.until ?? []).flatMap((target) => ['--until', target]));
    case 'wait':
      return command('run', workflow);
    case 'resume':
    case 'cancel':
    case 'failures':
    case 'resolve':
    case 'recover':
    case 'reinitialize':
      return command(kind, workflow);
    case 'reset':
      return command('reset-status', workflow, ...(hint.failed_only ? ['--failed-only'] : []));
    case 'retry':
      return command('retry', workflow, ...hint.jobs);
    case 'retry_failed':
      return command('retry', workflow, '--failed');
    case 'continue':
      return command('run', ...(hint.spec ?? ['SPEC']), '--continue', workflow);
    case 'explain':
      return command('explain', workflow, hint.job);
    case 'logs':
      return command('logs', workflow, hint.job, hint.follow ? '-f' : '--stderr');
    case 'jobs':
      return command('jobs', workflow, '--status', hint.statuses.join(','));
  }
}

/** `next: holdfast run 3`; nothing without a hint. */
export function nextLines(hint: Hint | null, style: Pick<TextStyle, 'command'>): string[] {
  return hint === null ? [] : [`next: ${hintCommand(hint, style)}`];
}
