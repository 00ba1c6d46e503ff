import type { WorkflowRecord } from '../../contract/records/records.ts';
import type { CommandContext } from '../command-context.ts';
import { hintCommand } from '../texts/parts/hint-command.ts';
import { someNames } from '../texts/parts/some-names.ts';
import { restartLines } from '../texts/reinitialize-text.ts';
import type { FoundStale } from './find-stale.ts';

/** `run ID` resumes what is left. What is complete and out of date it only names, with the command that runs it again. */
export function noteStale(
  context: CommandContext,
  workflow: WorkflowRecord,
  { stale }: Pick<FoundStale, 'stale'>,
): void {
  if (context.settings.output === 'quiet' || stale.length === 0) return;
  const [count, them] = stale.length === 1 ? ['1 job is', 'it'] : [`${stale.length} jobs are`, 'them'];
  const command = hintCommand({ kind: 'reinitialize', workflow: workflow.id }, context);
  context.narrate(`${count} out of date, and not run again by this command:`);
  for (const line of restartLines(stale)) context.narrate(line);
  context.narrate(`\`${command}\` begins a new run with ${them} and all that depends on ${them}`);
}

/** Jobs that keep their results need their inputs no more. */
export function noteGone({ narrate }: CommandContext, { gone }: Pick<FoundStale, 'gone'>): void {
  if (gone.length === 0) return;
  narrate(`note: inputs that no longer exist and cannot be compared: ${someNames(gone)}`);
}
