import { callWithFile, isBash, type Shell, shellName } from '../../core/job/shell.ts';
import type { Findings } from '../findings.ts';
import type { SpecPath } from '../problem.ts';
import { isTemplate } from '../template/check-template.ts';
import { userDataPlaceholders } from '../template/user-data-placeholders.ts';

/** What Linux takes as one argument, with the NUL behind it. */
const MOST_BYTES = 128 * 1024 - 1;

/** What only bash can do for a command. */
export interface ShellUse {
  shell: Shell;
  command: string;
  /** Path of the job or step, and its key with the command. */
  path: SpecPath;
  key: 'command' | 'exec';
  hasScript: boolean;
}

/** Values are bound to variables of bash: with another shell they would become code of it, or stay as they are written. */
export function checkShell(use: ShellUse, findings: Findings): void {
  const { shell, command, path, key, hasScript } = use;
  if (isBash(shell)) return;
  const at = [...path, key];
  const name = shellName(shell);
  const wayOut = 'use `shell: strict` and pass the value as an argument of the program';
  if (key === 'exec' && isTemplate(command)) {
    findings.error(
      at,
      `{{ … }} and {% … %} are bound to variables of bash, and the shell is ${name}; ${wayOut}`,
    );
  }
  const [placeholder] = key === 'command' ? userDataPlaceholders(command) : [];
  if (placeholder !== undefined) {
    findings.error(
      at,
      `${placeholder.written} is bound to a variable of bash, and the shell is ${name}; ${wayOut}`,
    );
  }
  if (hasScript) {
    findings.error(
      [...path, 'invocation_script'],
      `is put in front of a command of bash, and the shell is ${name}; put it into \`shell\`, or leave it out`,
    );
  }
  if (Buffer.byteLength(command) > MOST_BYTES && callWithFile(shell, '') === null) {
    findings.error(at, `is longer than the 128 KiB that ${name} can be given as an argument`);
  }
}
