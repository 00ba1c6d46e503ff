import { assignedName, commandRisk, type ReadCommand, readsCode, type Word } from './command-risk.ts';
import type { Refusal } from './refusals.ts';
import type { VariableKinds } from './variable-kinds.ts';

/** After these a command begins. */
const OPENERS = new Set(['if', 'then', 'elif', 'else', 'while', 'until', 'do', '!', '{', 'time', 'coproc']);
/** They run the command that follows, after options of their own. */
const PREFIXES = new Set(['exec', 'command', 'builtin', 'time']);
const DECLARATIONS = /^(?:declare|typeset|local|readonly|export)$/;
const COMPARISONS = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

/** The words of the commands in one shell context: enough to know who would evaluate a value. */
export class CommandWords {
  readonly #kinds: VariableKinds;
  readonly #onLate: (refusal: Refusal) => void;
  /** The words of `name=( … )`, which are no command. */
  readonly #isList: boolean;
  /** The current word without what is quoted in it, and with it. */
  #plain = '';
  #text = '';
  #isQuoted = false;
  #isExpanded = false;
  #isSplit = false;
  #inList = false;
  /** Open brackets of `name[ … ]` where it can be assigned to; spaces in them end no word. */
  #subscript = 0;
  #program: Word | undefined;
  #args: Word[] = [];
  /** The operator whose target is the next word; it may grow until a space. */
  #redirect: { operator: string; isOpen: boolean } | undefined;
  #afterPrefix = false;
  #skipsName = false;
  #feedsValue = false;
  #caseDepth = 0;
  #test: { compares: boolean; hasValue: boolean } | undefined;

  /** `onLate` is called for a value that was accepted, and that what follows it turns out to evaluate. */
  constructor(kinds: VariableKinds, onLate: (refusal: Refusal) => void, isList = false) {
    this.#kinds = kinds;
    this.#onLate = onLate;
    this.#isList = isList;
  }

  get atWordStart(): boolean {
    return this.#text === '' && !this.#isQuoted && !this.#isExpanded;
  }

  /** In a `case` a closing parenthesis ends a pattern. */
  get inCase(): boolean {
    return this.#caseDepth > 0;
  }

  /** In `[[ … ]]` parentheses only group. */
  get inTest(): boolean {
    return this.#test !== undefined;
  }

  get inSubscript(): boolean {
    return this.#subscript > 0;
  }

  /** A parenthesis at this place opens the list of an array. */
  get beforeList(): boolean {
    return this.#plain === this.#text && /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=$/.test(this.#plain);
  }

  openList(): void {
    this.#kinds.addList(assignedName(this.#plain)!);
    this.#inList = true;
  }

  /** A character that is neither quoted nor escaped. */
  push(char: string, next: string | undefined): void {
    if (this.#subscript > 0 || (char === '[' && this.#maySubscribe)) {
      if (char === '[') this.#subscript += 1;
      else if (char === ']') this.#subscript -= 1;
      this.#plain += char;
      this.#text += char;
      return;
    }
    if (!/[\s;&|()<>]/.test(char)) {
      this.#plain += char;
      this.#text += char;
      return;
    }
    const isRedirect = char === '<' || char === '>' || (char === '&' && next === '>');
    if (isRedirect && /^(?:\d+|\{\w+\})$/.test(this.#plain) && this.#plain === this.#text) {
      // A number in front of it is no word of the command.
      this.#clearWord();
    }
    const grown = this.atWordStart && this.#redirect?.isOpen ? this.#redirect.operator : undefined;
    this.#endWord();
    if (isRedirect || (grown !== undefined && /[&|]/.test(char))) {
      this.#redirect = { operator: (grown ?? '') + char, isOpen: true };
    } else if (char === '(' && grown !== undefined) {
      // The command in it makes a word.
      this.#redirect = undefined;
      this.expanded(false);
    } else if (/[\n;&|()]/.test(char)) {
      this.#endCommand();
    } else if (this.#redirect) {
      this.#redirect.isOpen = false;
    }
  }

  /** A character in quotes or after a backslash: part of the word, but of no keyword. */
  quoted(char = ''): void {
    this.#isQuoted = true;
    this.#text += char;
  }

  /** Part of the word is expanded, and split unless it is in quotes. */
  expanded(isSplit: boolean): void {
    this.#isExpanded = true;
    if (isSplit) this.#isSplit = true;
  }

  hereString(): void {
    this.#endWord();
    this.#redirect = { operator: '<<<', isOpen: false };
  }

  /** A value stands here; tells whether the shell would evaluate it. */
  value(): Refusal | undefined {
    this.#isExpanded = true;
    if (this.#subscript > 0) return 'arithmetic';
    if (this.#isList) return undefined;
    const command = this.#command;
    if (this.#redirect !== undefined) {
      const { operator } = this.#redirect;
      if (operator.endsWith('&')) return 'redirect';
      if (operator !== '<<<') return undefined;
      this.#feedsValue = true;
      return readsCode(command) ? 'code' : undefined;
    }
    if (this.#test) {
      this.#test.hasValue = true;
      if (this.#test.compares) return 'arithmetic';
    }
    if (/^[A-Za-z_]\w*\[[^\]]*$/.test(this.#plain)) return 'arithmetic';
    return commandRisk(command, this.#kinds);
  }

  /** Whether a bracket here opens a subscript: of an element in a list, or of a variable to assign to. */
  get #maySubscribe(): boolean {
    if (this.#isList) return this.atWordStart;
    return this.#program === undefined && this.#plain === this.#text && /^[A-Za-z_]\w*$/.test(this.#plain);
  }

  get #command(): ReadCommand {
    return { program: this.#program, args: this.#args, word: this.#text, inList: this.#inList };
  }

  #clearWord(): void {
    this.#plain = '';
    this.#text = '';
    this.#isQuoted = false;
    this.#isExpanded = false;
    this.#isSplit = false;
    this.#inList = false;
  }

  #endWord(): void {
    if (this.atWordStart) return;
    const word: Word = { text: this.#text, isExpanded: this.#isExpanded, isSplit: this.#isSplit };
    const isPlain = !this.#isQuoted && !this.#isExpanded;
    const isAssignment = assignedName(this.#plain) !== undefined;
    this.#clearWord();
    if (this.#redirect !== undefined) {
      this.#redirect = undefined;
    } else if (this.#program !== undefined) {
      this.#argument(word, isPlain);
    } else if (this.#skipsName) {
      this.#skipsName = false;
    } else if (isPlain && OPENERS.has(word.text)) {
      this.#afterPrefix = PREFIXES.has(word.text);
    } else if (isPlain && word.text === 'function') {
      this.#skipsName = true;
    } else if (!word.isExpanded && PREFIXES.has(word.text)) {
      this.#afterPrefix = true;
    } else if (!isAssignment && !(this.#afterPrefix && word.text.startsWith('-'))) {
      this.#begin(word, isPlain);
    }
    if (this.#feedsValue && readsCode(this.#command)) this.#onLate('code');
  }

  #begin(word: Word, isPlain: boolean): void {
    this.#program = word;
    if (!isPlain) return;
    if (word.text === 'case') this.#caseDepth++;
    else if (word.text === 'esac') this.#caseDepth = Math.max(0, this.#caseDepth - 1);
    else if (word.text === '[[') this.#test = { compares: false, hasValue: false };
  }

  #argument(word: Word, isPlain: boolean): void {
    if (isPlain && word.text === ']]') this.#test = undefined;
    else if (this.#test && isPlain && COMPARISONS.has(word.text)) {
      this.#test.compares = true;
      if (this.#test.hasValue) this.#onLate('arithmetic');
    } else if (DECLARATIONS.test(this.#program!.text)) this.#declare(word.text);
    this.#args.push(word);
  }

  /** Remembers what a declaration makes of a variable. */
  #declare(text: string): void {
    const name = /^[A-Za-z_]\w*/.exec(text)?.[0];
    if (name === undefined) return;
    const options = this.#args.map(({ text }) => (text.startsWith('-') ? text : '')).join('');
    if (options.includes('i')) this.#kinds.addInteger(name);
    if (/[aA]/.test(options)) this.#kinds.addList(name);
  }

  #endCommand(): void {
    if (this.#test) return;
    this.#program = undefined;
    this.#args = [];
    this.#redirect = undefined;
    this.#afterPrefix = false;
    this.#skipsName = false;
    this.#feedsValue = false;
  }
}
