import { resolve } from 'node:path';
import { DEFAULT_POST_CODES } from '../../core/job/post-result.ts';

/** The macros that DAGMan gives to a POST script, in its order. */
export interface DagMacros {
  node: string;
  return_code: number;
  /** From 0. */
  retry: number;
  max_retries: number;
}

export interface PostArguments {
  /** null: the attempt is in the file that HOLDFAST_OUTCOME names. */
  macros: DagMacros | null;
  directory: string;
  rulebook: string | null;
  /** null: the number follows from the run file, or else from the records that are there. */
  run: number | null;
  /** `run.json` of the DAG directory; null: there is none. */
  run_file: string | null;
  /** The node is a unit: a DAG of its own. */
  is_unit: boolean;
  /** null: as HOLDFAST_OUTCOME has it, else the default. */
  permanent_code: number | null;
  abort_code: number | null;
  /** null: no cool-off. */
  cooloff_base_sec: number | null;
  quiet: boolean;
}

export const DEFAULT_CODES = DEFAULT_POST_CODES;

const MACROS = ['NODE', 'RETURN', 'RETRY', 'MAX_RETRIES', 'DAG_STATUS', 'FAILED_COUNT'] as const;
const OPTIONS = [
  '--dir',
  '--rulebook',
  '--run',
  '--run-file',
  '--unless-exit-code',
  '--abort-dag-code',
  '--cooloff-base-sec',
  '--output',
] as const;

/** Throws an error that says what is wrong. $RETURN may be negative, so that only `--` begins an option. */
export function readPostArguments(argv: readonly string[]): PostArguments {
  const { words, options, flags } = split(argv);
  if (words.length !== 0 && words.length !== MACROS.length) {
    throw new Error(`expected no arguments, or six: ${MACROS.join(' ')}`);
  }
  if (flags.has('--unit') && words.length === 0) throw new Error('--unit: needs the six macros');
  const output = options.get('--output') ?? 'table';
  if (!['table', 'json', 'quiet'].includes(output)) throw new Error('--output: must be table, json or quiet');
  const code = (key: string) => wholeNumber(options.get(key), key, 1, 255);
  const base = options.get('--cooloff-base-sec');
  if (base !== undefined && !/^\d+(\.\d+)?$/.test(base)) {
    throw new Error('--cooloff-base-sec: must be a number of seconds');
  }
  return {
    macros: words.length === 0 ? null : readMacros(words),
    directory: resolve(options.get('--dir') ?? '.'),
    rulebook: options.get('--rulebook') ?? null,
    run: wholeNumber(options.get('--run'), '--run', 1, 1_000_000),
    run_file: options.get('--run-file') ?? null,
    is_unit: flags.has('--unit'),
    permanent_code: code('--unless-exit-code'),
    abort_code: code('--abort-dag-code'),
    cooloff_base_sec: base === undefined ? null : Number(base),
    quiet: output === 'quiet',
  };
}

function split(argv: readonly string[]): {
  words: string[];
  options: Map<string, string>;
  flags: Set<string>;
} {
  const words: string[] = [];
  const flags = new Set<string>();
  const options = new Map<string, string>();
  const rest = [...argv];
  for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
    if (!next.startsWith('--')) {
      words.push(next);
      continue;
    }
    if (next === '--unit') {
      flags.add(next);
      continue;
    }
    const [key, inline] = [next.replace(/=.*/s, ''), /=(.*)/s.exec(next)?.[1]];
    if (!(OPTIONS as readonly string[]).includes(key)) throw new Error(`unknown option ${key}`);
    const value = inline ?? rest.shift();
    if (value === undefined) throw new Error(`${key}: needs a value`);
    options.set(key, value);
  }
  return { words, options, flags };
}

function readMacros(words: readonly string[]): DagMacros {
  const number = (index: number, least: number) =>
    wholeNumber(words[index], MACROS[index]!, least, 1_000_000_000)!;
  number(4, -1_000_000_000);
  number(5, 0);
  return {
    node: words[0]!,
    return_code: number(1, -1_000_000),
    retry: number(2, 0),
    max_retries: number(3, 0),
  };
}

function wholeNumber(text: string | undefined, name: string, least: number, most: number): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || value < least || value > most) {
    throw new Error(`${name}: must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`);
  }
  return value;
}
