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

/** What the command of a hint is for; null: the command says it. */
export function hintPurpose({ kind }: Hint): string | null {
  switch (kind) {
    case 'failures':
      return 'all failures, grouped';
    case 'resolve':
      return 'try again or give up';
    case 'recover':
      return 'try again with more memory or time';
    case 'retry':
      return 'try it again as it is';
    case 'retry_failed':
      return 'try all of them again as they are';
    case 'continue':
      return 'after a fix in the spec';
    case 'reset':
      return 'a new run of what did not succeed';
    case 'reinitialize':
      return 'a new run of what is out of date or did not succeed';
    case 'resume':
      return 'resumes it';
    case 'cancel':
      return 'cancel it';
    case 'logs':
      return 'what it wrote';
    case 'jobs':
      return 'all of them';
    case 'run':
    case 'wait':
    case 'explain':
      return null;
  }
}
