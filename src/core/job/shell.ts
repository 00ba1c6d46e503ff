/** What runs commands: bash, bash that stops at the first failure, or the words of another command line. */
export type Shell = 'bash' | 'strict' | string[];

export const NAMED_SHELLS = ['bash', 'strict'] as const;

/** A program and its arguments. */
export interface ShellCall {
  /** `bash` is the one of the launcher; any other program is found on the PATH of the job. */
  program: string;
  args: string[];
}

const STRICT = ['-euo', 'pipefail'];

/** The command as an argument, which is limited to 128 KiB on Linux. */
export function callWithText(shell: Shell, command: string): ShellCall {
  if (shell === 'bash') return { program: 'bash', args: ['-c', '--', command] };
  if (shell === 'strict') return { program: 'bash', args: [...STRICT, '-c', '--', command] };
  const [program, ...args] = shell;
  return { program: program!, args: [...args, command] };
}

/** The command from a file; null if the shell takes only an argument. */
export function callWithFile(shell: Shell, path: string): ShellCall | null {
  if (shell === 'bash') return { program: 'bash', args: [path] };
  if (shell === 'strict') return { program: 'bash', args: [...STRICT, path] };
  const [program, ...args] = shell;
  const option = args.pop();
  if (option === undefined || !/^-./.test(option)) return null;
  // `-c` and `--eval` are left out; `-ec` is several options, of which only the last one takes the command.
  const others = /^-[^-]+$/.test(option) ? option.slice(0, -1) : '-';
  return { program: program!, args: [...args, ...(others === '-' ? [] : [others]), path] };
}

/** Whether it runs bash in the end, so that values can be bound to variables of bash. */
export function isBash(shell: Shell): boolean {
  if (!Array.isArray(shell)) return true;
  const at = shell.findLastIndex((word) => word === 'bash' || word.endsWith('/bash'));
  const options = shell.slice(at + 1);
  return (
    at !== -1 &&
    /^-\w*c$/.test(options.at(-1) ?? '') &&
    options.every((word, index) => /^[-+]/.test(word) || /^[-+]\w*[oO]$/.test(options[index - 1] ?? ''))
  );
}

/** For messages. */
export function shellName(shell: Shell): string {
  return Array.isArray(shell) ? `[${shell.join(', ')}]` : shell;
}
