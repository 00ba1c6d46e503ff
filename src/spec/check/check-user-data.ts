import { isBash } from '../../core/job/shell.ts';
import type { Findings } from '../findings.ts';
import type { JobDraft } from '../normalise/job-draft.ts';
import type { UserDataTable } from '../normalise/user-data-table.ts';
import type { Place, SpecPath } from '../problem.ts';
import { misplacedUserData } from '../template/user-data-placeholders.ts';

/** Placeholders must stand where a value can be placed, and what is read should be given somewhere. */
export function checkUserData(drafts: readonly JobDraft[], values: UserDataTable, findings: Findings): void {
  const read = new Set<string>();
  const set = new Set<string>();
  for (const draft of drafts) {
    for (const { text } of draft.inputUserData) read.add(text);
    for (const { text } of draft.outputUserData) set.add(text);
    const misplaced = isBash(draft.settings.shell) ? misplacedUserData(draft.command) : undefined;
    const { written } = draft;
    if (misplaced === undefined || !('command' in written)) continue;
    const { message, position } = misplaced;
    const inside = position === null ? undefined : placeOf(position, String(written.command));
    findings.error([...draft.path, 'command'], message, { inside: inside ?? misplaced.inside });
  }
  const reported = new Set<SpecPath>();
  for (const { name, path } of values.withoutData) {
    // All expansions of a sweep share their path, and one of them is enough.
    if (read.has(name) && !set.has(name) && !reported.has(path)) {
      reported.add(path);
      findings.warn(path, `"${name}" is read, but has no \`data\` and no job sets it`);
    }
  }
}

/** The place in the text as it was written; what was filled in before may have moved it. */
function placeOf(position: number, command: string): Place | undefined {
  const starts = [...command.matchAll(/\$\{user_data\./g)];
  const offset = starts[position]?.index;
  if (offset === undefined) return undefined;
  const before = command.slice(0, offset).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
