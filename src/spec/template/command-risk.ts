import { argumentRisk, mayBeOption, searchedWords } from './code-programs.ts';
import { assignedName, nameOf, type ReadCommand } from './command-word.ts';
import type { Refusal } from './refusals.ts';
import type { VariableKinds } from './variable-kinds.ts';

const DECLARATIONS = new Set(['declare', 'typeset', 'local', 'readonly', 'export']);
/** They run their arguments, or keep them to be run. */
const RUNNERS = new Set(['eval', 'let', 'alias', 'bind', 'compgen', 'complete']);
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
  if (RUNNERS.has(name)) return 'code';
  const risk = argumentRisk([program!, ...searchedWords(args)], word);
  if (risk !== undefined) return risk;
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
