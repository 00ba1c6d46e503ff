import { argumentRisk, isShell, isWrapper, runFiles, runsInput, writtenCode } from './code-programs.ts';
import { assignedName, fileSource, nameOf, type Word } from './command-word.ts';
import { type DataFlow, VALUE, variableSource } from './data-flow.ts';

/** A command that has been read to its end. */
export interface WholeCommand {
  program: Word | undefined;
  args: readonly Word[];
  assignments: readonly Word[];
  /** Sources of what it reads: a pipe, here strings, redirections. */
  input: readonly string[];
  /** Files that its output goes to. */
  targets: readonly Word[];
  line: number;
  /** The program is a function of the script. */
  isFunction: boolean;
}

/** They write what they read or are given into files that their words name. */
const WRITERS = new Set(['cp', 'curl', 'dd', 'install', 'ln', 'mv', 'sponge', 'tee', 'wget']);
/** They write nothing by themselves. */
const KEYWORDS = new Set(['for', 'select', 'case']);
const DECLARATIONS = new Set(['declare', 'typeset', 'local', 'readonly', 'export']);

/** Follows data through code that is written out for another shell; returns the source that its output is. */
export type ScanCode = (code: string, stdin: string) => string;

/** Records where the data of a command comes from and gets to; returns the source that its output is. */
export function commandFlow(command: WholeCommand, flow: DataFlow, scan: ScanCode): string {
  const { program, args, assignments, input } = command;
  for (const word of assignments) assign(word, flow);
  const output = flow.newNode();
  if (program === undefined) return output;
  const name = nameOf(program);
  if (KEYWORDS.has(program.text)) {
    variables(command, flow);
    return output;
  }
  const words = [program, ...args];
  if (!writesNumber(command)) {
    flow.add(input, output);
    for (const word of words) flow.add([...word.sources, fileSource(word)], output);
  }
  runs(command, words, flow);
  for (const { code, args: given } of writtenCode(words)) {
    const stdin = flow.newNode();
    flow.add(input, stdin);
    for (const { sources } of given) flow.add(sources, variableSource('@'));
    // What xargs reads becomes such words.
    if (nameOf(program) === 'xargs') flow.add(input, variableSource('@'));
    flow.add([scan(code, stdin)], output);
  }
  variables(command, flow);
  if (command.isFunction) flow.add([VALUE], output);
  if (command.isFunction || name === 'set') flow.add([output], variableSource('@'));
  if (WRITERS.has(name)) {
    for (const { text, ...word } of args) {
      flow.add([output], fileSource({ ...word, text: text.replace(/^of=/, '') }));
    }
  }
  for (const target of command.targets) flow.add([output], fileSource(target));
  return output;
}

/** `printf %d`, and `wc` of its input, write numbers whatever they are given. */
function writesNumber({ program, args, isFunction }: WholeCommand): boolean {
  if (isFunction) return false;
  if (program!.text === 'printf') return isNumberFormat(args[0]);
  return (
    program!.text === 'wc' && args.every(({ text, isExpanded }) => !isExpanded && /^-[clmwL]+$/.test(text))
  );
}

function isNumberFormat(word: Word | undefined): boolean {
  return word !== undefined && !word.isExpanded && word.text === '%d';
}

function runs({ program, input, line }: WholeCommand, words: readonly Word[], flow: DataFlow): void {
  if (runsInput(words)) flow.evaluate(input, line, 'code');
  for (const word of runFiles(words)) {
    flow.evaluate([fileSource(word)], line, 'code');
    if (word.isProcess) flow.evaluate(word.sources, line, 'code');
  }
  if (program!.text.includes('/')) flow.evaluate([fileSource(program!)], line, 'code');
  // An expansion without quotes may become several words: a program with its arguments, or `-c` and code.
  for (const word of words) {
    if (word.isSplit) flow.evaluate(word.sources, line, 'code');
    else if (!isWrapper(word) && !isShell(word) && !/^[-+]|^\d+[smhd]?$|=/.test(word.text)) break;
  }
  replacements(words, input, line, flow);
}

/** `xargs` and `find` put what they read or find into the words of another command. */
function replacements(words: readonly Word[], input: readonly string[], line: number, flow: DataFlow): void {
  const at = words.findIndex((word) => /^(?:xargs|find|fd)$/.test(nameOf(word)));
  if (at < 0) return;
  const isXargs = nameOf(words[at]!) === 'xargs';
  const given = isXargs ? input : [...input, ...words.flatMap(({ sources }) => [...sources])];
  const inner = words.slice(at + 1).filter(({ text }) => !/^-exec(?:dir)?$|^-ok(?:dir)?$/.test(text));
  const option = inner.findIndex(({ text }) => /^(?:-I|--replace)/.test(text));
  const replaced = (option < 0 ? '' : inner[option]!.text.replace(/^(?:-I|--replace=?)/, '')) || '{}';
  const mark = option >= 0 && inner[option]!.text === '-I' ? (inner[option + 1]?.text ?? '{}') : replaced;
  const start = option < 0 ? 0 : option + (inner[option]!.text === '-I' ? 2 : 1);
  const own = words[at]!;
  for (const [index, word] of inner.entries()) {
    const place = word.text.indexOf(mark);
    if (index < start || place < 0) continue;
    const before = [own, ...inner.slice(start, index)];
    if (argumentRisk(before, word.text.slice(0, place)) !== undefined || index === start)
      flow.evaluate(given, line, 'code');
  }
  if (isXargs && option < 0 && argumentRisk([own, ...inner], '') !== undefined)
    flow.evaluate(given, line, 'code');
}

/** What a command leaves in variables. */
function variables({ program, args, input }: WholeCommand, flow: DataFlow): void {
  const name = nameOf(program!);
  if (DECLARATIONS.has(name)) {
    for (const word of args) assign(word, flow);
  } else if (name === 'read' || name === 'mapfile' || name === 'readarray') {
    for (const { text } of [...args, { text: 'REPLY' }, { text: 'MAPFILE' }]) {
      flow.add(input, variableSource(text.replace(/^-\w*a/, '')));
    }
  } else if (name === 'for' || name === 'select') {
    const [variable, ...list] = args;
    for (const { sources } of list) flow.add(sources, variableSource(variable?.text ?? ''));
    if (list.length === 0) flow.add([variableSource('@')], variableSource(variable?.text ?? ''));
  } else if (name === 'printf' && args[0]?.text.startsWith('-v')) {
    const target = args[0].text.slice(2) || (args[1]?.text ?? '');
    if (isNumberFormat(args[args[0].text === '-v' ? 2 : 1])) return;
    for (const { sources } of args) flow.add(sources, variableSource(target));
  }
}

function assign({ text, sources }: Word, flow: DataFlow): void {
  const name = assignedName(text);
  if (name !== undefined) flow.add(sources, variableSource(name));
}
