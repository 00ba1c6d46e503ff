import type { Refusal } from './refusals.ts';
import type { VariableKinds } from './variable-kinds.ts';

/** A word as far as it is known before it runs, without its quotes. */
export interface Word {
  text: string;
  /** Something in it is expanded. */
  isExpanded: boolean;
  /** The expansion is not quoted, so that it may be no word or several. */
  isSplit: boolean;
}

/** A command as far as it has been read, up to a value. */
export interface ReadCommand {
  /** Undefined: still to come. */
  program: Word | undefined;
  args: readonly Word[];
  /** What stands in front of the value in its word. */
  word: string;
  /** The value is inside `name=( … )`. */
  inList: boolean;
}

const SHELLS = new Set(['ash', 'bash', 'dash', 'fish', 'ksh', 'mksh', 'rbash', 'runuser', 'sh', 'su', 'zsh']);
const DECLARATIONS = new Set(['declare', 'typeset', 'local', 'readonly', 'export']);
/** They run their arguments, or keep them to be run. */
const RUNNERS = new Set(['eval', 'let', 'alias', 'compgen']);
/** Options of `read` that take a text of their own. */
const READ_OPTION = /^-\w*[adinNptu]$/;

/** Whether the program of the command would look into a value that stands where it does. */
export function commandRisk(command: ReadCommand, kinds: VariableKinds): Refusal | undefined {
  const { program, args, word } = command;
  const name = program && nameOf(program);
  const assigned = assignedName(word);
  if (assigned !== undefined) {
    if (kinds.isCode(assigned)) return 'code';
    if (kinds.isInteger(assigned) && (name === undefined || DECLARATIONS.has(name))) return 'arithmetic';
  }
  if (name === undefined) return undefined;
  if (isCodeNext(command)) return 'code';
  if (RUNNERS.has(name)) return 'code';
  if (DECLARATIONS.has(name)) return declarationRisk(name, command, assigned, kinds);
  const before = args.at(-1)?.text ?? '';
  switch (name) {
    case 'trap':
      return args.every(mayBeOption) ? 'code' : undefined;
    case 'unset':
      return 'name';
    case 'read':
      return word.startsWith('-') || READ_OPTION.test(before) ? undefined : 'name';
    case 'printf':
      return args.every(mayBeOption) && (before === '-v' || word.startsWith('-v')) ? 'name' : undefined;
    case 'wait':
      return /^-\w*p/.test(before) || /^-\w*p/.test(word) ? 'name' : undefined;
    case 'test':
    case '[':
    case '[[':
      return before === '-v' ? 'name' : undefined;
    case 'mapfile':
    case 'readarray':
      return /^-\w*C/.test(before) || /^-\w*C/.test(word) ? 'code' : undefined;
    default:
      return undefined;
  }
}

/** Whether the command is a shell that reads code from its input. */
export function readsCode(command: ReadCommand): boolean {
  const name = command.program?.text;
  return startsShell(command) || name === '.' || name === 'source';
}

/** `name=` or `name+=`, with or without a subscript. */
export function assignedName(word: string): string | undefined {
  return /^([A-Za-z_][\w%]*)(?:\[[^\]]*\])?\+?=/.exec(word)?.[1];
}

function declarationRisk(
  program: string,
  { args, inList }: ReadCommand,
  assigned: string | undefined,
  kinds: VariableKinds,
): Refusal | undefined {
  if (assigned === undefined) return 'name';
  const has = (option: string) => args.some(({ text }) => new RegExp(`^-\\w*${option}`).test(text));
  if (has('i')) return 'arithmetic';
  if (has('n')) return 'name';
  if (inList) return undefined;
  const mayBeList = kinds.isList(assigned) && program !== 'export' && program !== 'readonly';
  return has('[aA]') || mayBeList ? 'list' : undefined;
}

/** After `-c` a shell takes the first word that is no option as code. */
function isCodeNext(command: ReadCommand): boolean {
  if (!startsShell(command)) return false;
  const { args } = command;
  const flag = args.findIndex(({ text }) => /^-[A-Za-z]*c[A-Za-z]*$/.test(text));
  // `-o` has a word of its own.
  return (
    flag >= 0 &&
    args
      .slice(flag + 1)
      .every((arg, position) => mayBeOption(arg) || /^[-+]\w*[oO]$/.test(args[flag + position]!.text))
  );
}

/** A program that is only known when it runs may be one. */
function startsShell({ program, args }: ReadCommand): boolean {
  if (program === undefined) return false;
  return program.isExpanded || [program, ...args].some((word) => SHELLS.has(nameOf(word)));
}

function mayBeOption({ text, isSplit }: Word): boolean {
  return isSplit || /^[-+]/.test(text);
}

function nameOf({ text }: Word): string {
  return text.slice(text.lastIndexOf('/') + 1);
}
