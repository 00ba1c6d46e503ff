import { WORKFLOW_EXECUTORS } from '../../core/allocation/executor.ts';
import { JOB_STATUSES } from '../../core/job/job-status.ts';
import type { CommandEntry } from '../command-entry.ts';
import { argumentsOf, commandName, type FlagFacts, flagsOf } from './command-words.ts';

/** What can stand at a place of a command line. */
export type WantedWord =
  | { kind: 'commands' | 'flags' | 'files' | 'workflows' | 'jobs' }
  | { kind: 'words'; words: readonly string[] };

export interface CompletionPlace {
  wanted: WantedWord[];
  /** What is typed of it. */
  typed: string;
  /** What stands before that in the same word: `--output=`. */
  before: string;
  entry: CommandEntry | undefined;
  /** The number of the workflow that was named before. */
  workflowId: number | null;
  /** `--dir`, `--server` and `--token-file`, as far as they were given. */
  given: Record<string, string>;
}

const FLAG_WORDS: Record<string, readonly string[]> = {
  '--output': ['table', 'json', 'quiet', 'csv'],
  '--status': JOB_STATUSES,
  '--executor': WORKFLOW_EXECUTORS,
  '--auth': ['none', 'token'],
  '--role': ['viewer', 'worker', 'operator', 'admin'],
  '--log-level': ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
};

/** What is wanted at the last of the words that follow `holdfast`. */
export function completionPlace(commands: CommandEntry[], words: string[]): CompletionPlace {
  const current = words.at(-1) ?? '';
  const place: CompletionPlace = {
    wanted: [],
    typed: current,
    before: '',
    entry: undefined,
    workflowId: null,
    given: {},
  };
  const values: string[] = [];
  let open: FlagFacts | null = null;
  for (const word of words.slice(0, -1)) {
    if (open !== null && !word.startsWith('-')) {
      place.given[open.names.at(-1)!] = word;
      if (!open.isList) open = null;
    } else if (word.startsWith('-')) {
      open = openFlag(place, word);
    } else if (place.entry === undefined) {
      // `help` is of commander, and has commands as its arguments.
      if (word === 'help') return { ...place, wanted: [{ kind: 'commands' }] };
      place.entry = commands.find((each) => commandName(each) === word);
      if (place.entry === undefined) return place;
    } else {
      values.push(word);
    }
  }
  const id = [...values, place.given['--workflow'] ?? ''].find((value) => /^\d+$/.test(value));
  if (id !== undefined) place.workflowId = Number(id);
  place.wanted = wantedAt(place, values, open, current);
  return place;
}

/** The flag, if its value comes next. */
function openFlag(place: CompletionPlace, word: string): FlagFacts | null {
  const [name, value] = splitFlag(word);
  const flag = flagsOf(place.entry).find(({ names }) => names.includes(name));
  if (value !== null) place.given[name] = value;
  return flag?.value != null && value === null ? flag : null;
}

function splitFlag(word: string): [name: string, value: string | null] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  return at < 0 ? [word, null] : [word.slice(0, at), word.slice(at + 1)];
}

function wantedAt(
  place: CompletionPlace,
  values: string[],
  open: FlagFacts | null,
  current: string,
): WantedWord[] {
  const { entry } = place;
  const [name, value] = splitFlag(current);
  if (value !== null) {
    place.typed = value;
    place.before = `${name}=`;
    const flag = flagsOf(entry).find(({ names }) => names.includes(name));
    return flag === undefined ? [] : wantedFor(flag);
  }
  if (open !== null && !(open.isOptional && current.startsWith('-'))) return wantedFor(open);
  if (current.startsWith('-')) return [{ kind: 'flags' }];
  return entry === undefined ? [{ kind: 'commands' }] : wantedArgument(entry, values.length);
}

function wantedFor({ names, value }: FlagFacts): WantedWord[] {
  const words = FLAG_WORDS[names.at(-1)!];
  if (words !== undefined) return [{ kind: 'words', words }];
  if (['--job', '--until'].includes(names.at(-1)!) || /^jobs?$/.test(value!)) return [{ kind: 'jobs' }];
  if (value === 'id') return [{ kind: 'workflows' }];
  return ['file', 'dir', 'path'].includes(value!) ? [{ kind: 'files' }] : [];
}

function wantedArgument(entry: CommandEntry, position: number): WantedWord[] {
  const all = argumentsOf(entry);
  const argument = all[position] ?? all.findLast(({ isList }) => isList);
  const hasAction = /^(?:action|shell)$/.test(all[0]?.name ?? '');
  switch (argument?.name) {
    case 'action':
    case 'shell':
      return [{ kind: 'words', words: actionsOf(entry) }];
    case 'spec':
    case 'file':
      return [{ kind: 'files' }];
    case 'spec-or-id':
      return [{ kind: 'workflows' }, { kind: 'files' }];
    case 'id':
      // Of `token` and `workers` it is the number of something else.
      if (hasAction) return [];
      return all.some(({ name }) => /^jobs?$/.test(name)) && entry.usage.includes('[id]')
        ? [{ kind: 'workflows' }, { kind: 'jobs' }]
        : [{ kind: 'workflows' }];
    case 'ids':
      return [{ kind: 'workflows' }];
    case 'id-or-job':
      return [{ kind: 'workflows' }, { kind: 'jobs' }];
    case 'job':
    case 'jobs':
      return [{ kind: 'jobs' }];
    default:
      return [];
  }
}

/** The examples of a command show each of its actions. */
function actionsOf(entry: CommandEntry): string[] {
  const action = new RegExp(`\\bholdfast ${commandName(entry)} ([a-z][a-z-]*)`);
  return [...new Set(entry.examples.flatMap((example) => action.exec(example)?.[1] ?? []))];
}
