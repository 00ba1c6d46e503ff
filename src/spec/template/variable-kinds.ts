/** Variables whose values the shell calculates, expands or runs, besides those that a script makes so. */
const INTEGERS = ['RANDOM', 'SRANDOM', 'SECONDS', 'HISTCMD', 'OPTIND'];
const CODE = new Set(['BASH_ENV', 'PS0', 'PS1', 'PS2', 'PS4', 'PROMPT_COMMAND']);

/** What one script has told of its variables so far, wherever in it. */
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
