import type { Command, Invocation } from './command-context.ts';
import type { ListName } from './texts/lists/list-columns.ts';

/** `repeated`: it can be given several times. A function returns the value of the option, or throws what is wrong with it. */
export type CommandOption = [
  flags: string,
  description: string,
  how?: 'repeated' | ((value: string) => string),
];

export interface CommandEntry {
  /** Name and arguments in the notation of commander. */
  usage: string;
  summary: string;
  /** More than the one line, for `help COMMAND`. */
  details?: string;
  options?: CommandOption[];
  examples: string[];
  /** Its state is in this directory, not in one above (default: false). */
  ownState?: true;
  /** The list that it prints with these arguments, for `--output csv`; undefined: none. */
  list?: (invocation: Invocation) => ListName | undefined;
  /** Only the command that is asked for is loaded. */
  load: () => Promise<Command>;
}
