import { basename } from 'node:path';
import { HoldfastError } from '../../core/errors.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import { parameterValues } from '../../spec/sweep/parameter-values.ts';
import { placeTexts } from '../../spec/template/place-texts.ts';
import { describeRefusal } from '../../spec/template/refusals.ts';

const NAME = /^[A-Za-z_]\w*$/;
const MOST_JOBS = 100_000;

export interface ExecOrder {
  /** One word is a command for the shell; several are a program and its arguments. */
  words: readonly string[];
  /** `i=1:9`, `x=[a,b]` or `x=a`. */
  parameters: readonly string[];
  /** Values of `{line}`; null: there is none. */
  lines: readonly string[] | null;
  retries: number | undefined;
  timeoutMs: number | undefined;
}

type Bindings = Record<string, string>;

/**
 * The spec that a command line stands for: one job for each combination of values, in order. A value never becomes syntax of
 * the shell: in a word it is quoted with the word, in a command it is quoted as its place there demands.
 */
export function execSpec(order: ExecOrder): Record<string, unknown> {
  const { retries, timeoutMs } = order;
  const words = completed(order);
  const dimensions = dimensionsOf(order);
  const unused = dimensions.find(({ name }) => !words.some((word) => word.includes(`{${name}}`)));
  if (unused !== undefined) throw invalid('--param', `the command does not use {${unused.name}}`);
  const combinations = combine(dimensions);
  const title = titleOf(words);
  const width = String(combinations.length).length;
  return {
    name: title,
    ...(retries !== undefined && { retry_defaults: { max_retries_failure: retries } }),
    jobs: combinations.map((bindings, index) => ({
      name: dimensions.length === 0 ? title : `${title}_${String(index + 1).padStart(width, '0')}`,
      command: commandOf(words, bindings),
      ...(timeoutMs !== undefined && { timeout: `${timeoutMs}ms` }),
    })),
  };
}

/** `{}` is the line, as for xargs and parallel; a command that names it nowhere has it as its last argument. */
function completed({ words, lines }: ExecOrder): string[] {
  if (words.length === 0 || words.every((word) => word.trim() === '')) {
    throw invalid('exec', 'needs a command after `--`');
  }
  if (lines === null) return [...words];
  const named = words.map((word) => word.replaceAll('{}', '{line}'));
  if (named.some((word) => word.includes('{line}'))) return named;
  return named.length === 1 ? [`${named[0]} {line}`] : [...named, '{line}'];
}

function dimensionsOf({ parameters, lines }: ExecOrder): { name: string; values: string[] }[] {
  const dimensions = parameters.map((text) => {
    const [, name = '', written = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    if (!NAME.test(name)) throw invalid('--param', `must be NAME=VALUES, as in i=1:9, not ${text}`);
    if (!/^\[|^[+-]?[\d.]+:/.test(written)) return { name, values: [written] };
    const parsed = parameterValues(written);
    if ('error' in parsed) throw invalid('--param', `${name}: ${parsed.error}`);
    return { name, values: parsed.values.map(String) };
  });
  if (lines !== null) {
    if (lines.length === 0) throw invalid('--lines', 'there are no lines');
    dimensions.push({ name: 'line', values: [...lines] });
  }
  const names = dimensions.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalid('--param', `${twice} has values already`);
  const count = dimensions.reduce((product, { values }) => product * values.length, 1);
  if (count > MOST_JOBS) throw invalid('--param', `${count} jobs are more than ${MOST_JOBS}; write a spec`);
  return dimensions;
}

/** The last one varies fastest. */
function combine(dimensions: readonly { name: string; values: string[] }[]): Bindings[] {
  return dimensions.reduce<Bindings[]>(
    (before, { name, values }) =>
      before.flatMap((bindings) => values.map((value) => ({ ...bindings, [name]: value }))),
    [{}],
  );
}

function commandOf(words: readonly string[], bindings: Bindings): string {
  if (words.length === 1) return placed(words[0]!, bindings);
  const fill = (word: string) =>
    word.replaceAll(PLACEHOLDER, (found, name: string) =>
      Object.hasOwn(bindings, name) ? bindings[name]! : found,
    );
  return words.map((word) => shellWord(fill(word))).join(' ');
}

const PLACEHOLDER = /\{(\w+)\}/g;

/** The values of a command for the shell: each is one word, or a part of the text in whose quotes it stands. */
function placed(command: string, bindings: Bindings): string {
  const parts: (string | readonly string[])[] = [];
  let at = 0;
  for (const { 0: written, 1: name, index } of command.matchAll(PLACEHOLDER)) {
    if (!Object.hasOwn(bindings, name!)) continue;
    parts.push(command.slice(at, index), [bindings[name!]!]);
    at = index + written.length;
  }
  const result = placeTexts([...parts, command.slice(at)], true);
  if (result.ok) return result.text;
  const [name = ''] = Object.entries(bindings).find(([, value]) => value === result.value) ?? [];
  const why = result.refusal === null ? '' : `: ${describeRefusal(result.refusal, `{${name}}`)}`;
  throw invalid('exec', `the value ${JSON.stringify(result.value)} cannot stand in the command${why}`);
}

/** The program, as a name. */
function titleOf(words: readonly string[]): string {
  const [program = ''] = words.length === 1 ? words[0]!.trim().split(/\s+/) : words;
  const name = basename(program)
    .replaceAll(/[^\w.-]+/g, '_')
    .replace(/^[^A-Za-z]+/, '')
    .slice(0, 60);
  return name === '' ? 'exec' : name;
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
