import type { Command } from './command-context.ts';

/** `repeated`: it can be given several times. */
export type CommandOption = [flags: string, description: string, times?: 'repeated'];

export interface CommandEntry {
  /** Name and arguments in the notation of commander. */
  usage: string;
  summary: string;
  /** More than the one line, for `help COMMAND`. */
  details?: string;
  options?: CommandOption[];
  examples: string[];
  /** Only the command that is asked for is loaded. */
  load: () => Promise<Command>;
}
