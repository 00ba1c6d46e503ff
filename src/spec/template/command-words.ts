import type { Refusal } from './refusals.ts';

/** After these a command begins. */
const OPENERS = new Set([
  'if',
  'then',
  'elif',
  'else',
  'while',
  'until',
  'do',
  '!',
  '{',
  'time',
  'exec',
  'command',
  'builtin',
]);
const SHELLS = new Set(['bash', 'sh', 'dash', 'zsh', 'ksh']);
const DECLARATIONS = new Set(['declare', 'typeset', 'local', 'readonly', 'export']);
const COMPARISONS = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

/** The unquoted words of the commands in one shell context: enough to know who would evaluate a value. */
export class CommandWords {
  readonly #onComparedValue: () => void;
  #word = '';
  #isQuoted = false;
  #hasValue = false;
  #command: string | undefined;
  #caseDepth = 0;
  #integers = false;
  #startsShell = false;
  #codeIsNext = false;
  #test: { compares: boolean; hasValue: boolean } | undefined;

  /** `onComparedValue` is called for a value that `[[ … ]]` compares as a number, which evaluates it. */
  constructor(onComparedValue: () => void) {
    this.#onComparedValue = onComparedValue;
  }

  get atWordStart(): boolean {
    return this.#word === '' && !this.#isQuoted && !this.#hasValue;
  }

  /** In a `case` a closing parenthesis ends a pattern. */
  get inCase(): boolean {
    return this.#caseDepth > 0;
  }

  /** In `[[ … ]]` parentheses only group. */
  get inTest(): boolean {
    return this.#test !== undefined;
  }

  push(char: string): void {
    if (!/[\s;&|()<>]/.test(char)) {
      this.#word += char;
      return;
    }
    this.#endWord();
    if (/[\n;&|()]/.test(char)) this.#endCommand();
  }

  /** Part of the word is quoted, escaped or expanded: it is no keyword. */
  quoted(): void {
    this.#isQuoted = true;
  }

  /** A value stands here; tells whether the shell would evaluate it. */
  value(): Refusal | undefined {
    this.#hasValue = true;
    if (this.#test) {
      this.#test.hasValue = true;
      if (this.#test.compares) return 'arithmetic';
    }
    if (this.#codeIsNext || this.#command === 'eval' || this.#command === 'let') return 'code';
    if (this.#integers || /^[A-Za-z_]\w*\[[^\]]*$/.test(this.#word)) return 'arithmetic';
    return undefined;
  }

  #endWord(): void {
    const word = this.#word;
    if (this.atWordStart) return;
    const plain = !this.#isQuoted && !this.#hasValue;
    this.#word = '';
    this.#isQuoted = false;
    this.#hasValue = false;
    this.#codeIsNext = false;
    if (this.#command !== undefined) {
      this.#argument(word);
    } else if (plain && OPENERS.has(word)) {
      // The command is still to come.
    } else if (!/^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(word)) {
      this.#command = programName(word);
      this.#startsShell = SHELLS.has(this.#command);
      if (this.#command === 'case') this.#caseDepth++;
      else if (this.#command === 'esac') this.#caseDepth = Math.max(0, this.#caseDepth - 1);
      else if (this.#command === '[[') this.#test = { compares: false, hasValue: false };
      else if (this.#command === 'trap') this.#codeIsNext = true;
    }
  }

  #argument(word: string): void {
    if (word === ']]') this.#test = undefined;
    else if (this.#test && COMPARISONS.has(word)) {
      this.#test.compares = true;
      if (this.#test.hasValue) this.#onComparedValue();
    } else if (DECLARATIONS.has(this.#command!) && /^-\w*i/.test(word)) this.#integers = true;
    else if (SHELLS.has(programName(word))) this.#startsShell = true;
    else if (this.#startsShell && /^-\w*c$/.test(word)) this.#codeIsNext = true;
  }

  #endCommand(): void {
    if (this.#test) return;
    this.#command = undefined;
    this.#integers = false;
    this.#startsShell = false;
    this.#codeIsNext = false;
  }
}

function programName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
