import type { CommandEntry, CommandOption } from '../command-entry.ts';
import { GLOBAL_OPTIONS } from '../options/global-options.ts';

export interface FlagFacts {
  /** `-o` and `--out`. */
  names: string[];
  /** What its value is called; null: it has none. */
  value: string | null;
  /** The value can be left out. */
  isOptional: boolean;
  /** It takes all words up to the next flag. */
  isList: boolean;
  about: string;
}

export interface ArgumentFacts {
  name: string;
  isList: boolean;
}

export const commandName = ({ usage }: CommandEntry): string => usage.split(' ')[0]!;

/** The arguments in its usage: `<id-or-job> [job]`. */
export function argumentsOf({ usage }: CommandEntry): ArgumentFacts[] {
  return usage
    .split(' ')
    .slice(1)
    .map((word) => ({ name: word.replace(/[<>[\].]/g, ''), isList: word.includes('...') }));
}

/** The options of a command with those of every command; without one, only the latter. */
export function flagsOf(entry: CommandEntry | undefined): FlagFacts[] {
  return [...(entry?.options ?? []), ...GLOBAL_OPTIONS, HELP].map(flagFacts);
}

const HELP: CommandOption = ['-h, --help', 'how to use a command'];

function flagFacts([flags, about]: CommandOption): FlagFacts {
  const value = /[<[]([^>\]]+)[>\]]/.exec(flags)?.[1];
  return {
    names: flags.replace(/ [<[].*/, '').split(', '),
    value: value?.replace('...', '') ?? null,
    isOptional: flags.includes('['),
    isList: value?.endsWith('...') ?? false,
    about,
  };
}
