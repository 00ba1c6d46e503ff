/** Variables whose values the shell calculates, expands or runs, besides those that a script makes so. */
const INTEGERS = ['RANDOM', 'SRANDOM', 'SECONDS', 'HISTCMD', 'OPTIND'];
const CODE = new Set([
  ...['BASH_ENV', 'PS0', 'PS1', 'PS2', 'PS4', 'PROMPT_COMMAND'],
  // Other programs hand these to a shell, or take code from them.
  ...['EDITOR', 'VISUAL', 'FCEDIT', 'PAGER', 'MANPAGER', 'LESSOPEN', 'LESSCLOSE', 'RSYNC_RSH'],
  ...['GIT_EDITOR', 'GIT_EXTERNAL_DIFF', 'GIT_PAGER', 'GIT_SEQUENCE_EDITOR', 'GIT_SSH_COMMAND'],
  ...['NODE_OPTIONS', 'PERL5DB', 'PERL5OPT', 'RUBYOPT'],
]);

/** What is known of the variables of one script so far, wherever in it. */
export class VariableKinds {
  readonly #integers = new Set(INTEGERS);
  readonly #lists = new Set<string>();

  addInteger(name: string): void {
    this.#integers.add(name);
  }

  addList(name: string): void {
    this.#lists.add(name);
  }

  isInteger(name: string): boolean {
    return this.#integers.has(name);
  }

  isList(name: string): boolean {
    return this.#lists.has(name);
  }

  /** A function in the environment is code as well. */
  isCode(name: string): boolean {
    return CODE.has(name) || name.startsWith('BASH_FUNC_');
  }
}
