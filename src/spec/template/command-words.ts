import type { ScanCode } from './command-flow.ts';
import { commandRisk } from './command-risk.ts';
import { assignedName, fileSource, type ReadCommand, type Word } from './command-word.ts';
import { type DataFlow, VALUE, variableSource } from './data-flow.ts';
import { Pipelines } from './pipelines.ts';
import type { Refusal } from './refusals.ts';
import { calculatedNames } from './shell/calculated-names.ts';
import type { VariableKinds } from './variable-kinds.ts';

/** After these a command begins. */
const OPENERS = new Set(['if', 'then', 'elif', 'else', 'while', 'until', 'do', '!', '{', 'time', 'coproc']);
/** They run the command that follows, after options of their own. */
const PREFIXES = new Set(['exec', 'command', 'builtin', 'time']);
/** Commands that hold others, up to the word that ends them. */
const COMPOUNDS = new Set(['if', 'while', 'until', 'for', 'select', 'case', '{']);
const ENDS = new Set(['fi', 'done', 'esac', '}']);
const DECLARATIONS = /^(?:declare|typeset|local|readonly|export)$/;
const COMPARISONS = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

/** What all contexts of one script share. */
export interface ScriptFacts {
  kinds: VariableKinds;
  flow: DataFlow;
  functions: Set<string>;
  /** Of the place that is read. */
  line(): number;
  scan: ScanCode;
  /** Called for a value that was accepted, and that what follows it turns out to evaluate. */
  onLate(refusal: Refusal): void;
  /** Called for what a script consists of, without what is in substitutions. */
  onPart: ((part: ScriptPart) => void) | undefined;
}

/** A command, a word that opens or divides a compound command, or an operator. */
export type ScriptPart =
  | {
      kind: 'command';
      program: Word | undefined;
      args: readonly Word[];
      assignments: readonly Word[];
      /** The output of other commands is part of its words. */
      substitutes: boolean;
    }
  | { kind: 'keyword'; word: string }
  | { kind: 'operator'; char: string };

/** The words of the commands in one shell context: enough to know who would evaluate a value. */
export class CommandWords {
  readonly #facts: ScriptFacts;
  readonly #kinds: VariableKinds;
  readonly #stdin: string;
  /** The parentheses behind the name of a function are no subshell. */
  #defines = false;
  readonly #pipelines: Pipelines;
  /** The words of `name=( … )`, which are no command. */
  readonly #isList: boolean;
  /** The current word without what is quoted in it, and with it. */
  #plain = '';
  #text = '';
  #isQuoted = false;
  #isExpanded = false;
  #isSplit = false;
  #inList = false;
  /** `<` or `>` where the word is a process substitution. */
  #process: string | undefined;
  #opensProcess = false;
  #sources: string[] = [];
  /** Open brackets of `name[ … ]` where it can be assigned to; spaces in them end no word. */
  #subscript = 0;
  #program: Word | undefined;
  #substitutes = false;
  #args: Word[] = [];
  #assignments: Word[] = [];
  #redirected: string[] = [];
  #targets: Word[] = [];
  /** The operator whose target is the next word; it may grow until a space. */
  #redirect: { operator: string; isOpen: boolean } | undefined;
  #afterPrefix = false;
  #skipsName = false;
  #caseDepth = 0;
  #test: { compares: boolean; hasValue: boolean; isOperand: boolean } | undefined;

  constructor(facts: ScriptFacts, stdin: string, isList = false) {
    this.#facts = facts;
    this.#kinds = facts.kinds;
    this.#stdin = stdin;
    this.#pipelines = new Pipelines(facts.flow, facts.scan, stdin);
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
    if ((char === '<' || char === '>') && next === '(' && !(this.atWordStart && this.#redirect?.isOpen)) {
      // The command in it makes a word, or a part of one.
      this.#process = char;
      this.#opensProcess = true;
      this.expanded(false);
      return;
    }
    if (this.#opensProcess) {
      this.#opensProcess = false;
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
    } else if (/[\n;&|()]/.test(char)) {
      if (char === '(' && this.#program !== undefined && this.#args.length === 0) this.#define();
      this.#endCommand(char === '|' && next !== '|');
      if (!this.#test && !this.#isList) this.#facts.onPart?.({ kind: 'operator', char });
    } else if (this.#redirect) {
      this.#redirect.isOpen = false;
    }
  }

  /** A character in quotes or after a backslash: part of the word, but of no keyword. */
  quoted(char = ''): void {
    this.#isQuoted = true;
    this.#text += char;
  }

  /** The context of a substitution, a subshell or a list that begins here. */
  nest(isList = false, isSubstitution = this.#process !== undefined): CommandWords {
    const { flow } = this.#facts;
    const facts = isSubstitution ? { ...this.#facts, onPart: undefined } : this.#facts;
    if (this.#process !== '>') return new CommandWords(facts, this.#pipelines.inputNode(), isList);
    // Whatever is written somewhere may be written to it.
    const stdin = flow.newNode();
    flow.add([VALUE], stdin);
    return new CommandWords(facts, stdin);
  }

  /** Takes what such a context writes; returns the source that it is. */
  absorb(inner: CommandWords): string {
    const output = inner.end();
    if (this.#defines) this.#defines = false;
    else if (this.atWordStart) this.#pipelines.subshell(inner.#stdin, output);
    else {
      this.#addSources([output]);
      if (!inner.#isList) this.#substitutes = true;
    }
    return output;
  }

  /** The end of the script; returns the source that its output is. */
  end(): string {
    this.#endWord();
    if (this.#isList) this.#facts.flow.add(this.#redirected, this.#pipelines.output);
    this.#endCommand(false);
    return this.#pipelines.output;
  }

  /** A variable is expanded here. */
  reads(name: string): void {
    this.#addSources([variableSource(name)]);
  }

  /** A heredoc is read from this source. */
  heredoc(source: string): void {
    this.#endWord();
    this.#redirected.push(source);
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

  /** A value stands here, or in a context inside of this one. Returns why the shell would evaluate it. */
  value(isInside: boolean, source: string): Refusal | undefined {
    if (!isInside) {
      this.#isExpanded = true;
      this.#sources.push(source);
    }
    if (this.#subscript > 0) return 'arithmetic';
    if (this.#isList) return undefined;
    if (this.#redirect !== undefined) return this.#redirect.operator.endsWith('&') ? 'redirect' : undefined;
    if (this.#test) {
      this.#test.hasValue = true;
      if (this.#test.compares) return 'arithmetic';
    }
    if (/^[A-Za-z_]\w*\[[^\]]*$/.test(this.#plain)) return 'arithmetic';
    return commandRisk(this.#command, this.#kinds);
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
    this.#process = undefined;
    this.#sources = [];
  }

  #addSources(added: readonly string[]): void {
    this.#sources.push(...added);
    if (this.#isList || this.#redirect !== undefined) return;
    const risk = commandRisk(this.#command, this.#kinds);
    if (risk !== undefined) this.#facts.flow.evaluate(added, this.#facts.line(), risk);
  }

  #endWord(): void {
    if (this.atWordStart) return;
    const word: Word = {
      text: this.#text,
      isExpanded: this.#isExpanded,
      isSplit: this.#isSplit,
      isProcess: this.#process !== undefined,
      sources: this.#sources,
    };
    const isPlain = !this.#isQuoted && !this.#isExpanded;
    const isAssignment = assignedName(this.#plain) !== undefined;
    this.#clearWord();
    if (this.#isList) {
      this.#redirected.push(...word.sources);
    } else if (this.#redirect !== undefined) {
      this.#redirectTo(word, this.#redirect.operator);
    } else if (this.#program !== undefined) {
      this.#argument(word, isPlain);
    } else if (this.#skipsName) {
      this.#skipsName = false;
      this.#facts.functions.add(word.text);
      this.#pipelines.feedAll();
    } else if (isPlain && OPENERS.has(word.text)) {
      this.#afterPrefix = PREFIXES.has(word.text);
      this.#facts.onPart?.({ kind: 'keyword', word: word.text });
      if (word.text === 'coproc') this.#pipelines.feedAll();
      if (COMPOUNDS.has(word.text)) this.#pipelines.open();
    } else if (isPlain && word.text === 'function') {
      this.#skipsName = true;
    } else if (!word.isExpanded && PREFIXES.has(word.text)) {
      this.#afterPrefix = true;
    } else if (isAssignment) {
      if (this.#kinds.isInteger(assignedName(word.text)!)) this.#calculate(word);
      this.#assignments.push(word);
    } else if (!(this.#afterPrefix && word.text.startsWith('-'))) {
      this.#begin(word, isPlain);
    }
  }

  #redirectTo(word: Word, operator: string): void {
    this.#redirect = undefined;
    if (operator.includes('>')) this.#targets.push(word);
    else if (operator === '<<<' || word.isProcess) this.#redirected.push(...word.sources);
    else this.#redirected.push(fileSource(word));
  }

  #begin(word: Word, isPlain: boolean): void {
    this.#program = word;
    if (!isPlain) return;
    if (COMPOUNDS.has(word.text)) this.#pipelines.open();
    else if (ENDS.has(word.text)) this.#pipelines.close();
    if (word.text === 'case') this.#caseDepth++;
    else if (word.text === 'esac') this.#caseDepth = Math.max(0, this.#caseDepth - 1);
    else if (word.text === '[[') this.#test = { compares: false, hasValue: false, isOperand: false };
  }

  #argument(word: Word, isPlain: boolean): void {
    if (isPlain && word.text === ']]') this.#test = undefined;
    else if (this.#test && isPlain && COMPARISONS.has(word.text)) {
      this.#test.compares = true;
      if (this.#test.hasValue) this.#facts.onLate('arithmetic');
      this.#calculate(this.#args.at(-1) ?? word);
      this.#test.isOperand = true;
    } else if (this.#test?.isOperand) {
      this.#calculate(word);
      this.#test.isOperand = false;
    } else if (DECLARATIONS.test(this.#program!.text)) this.#declare(word);
    else if (this.#program!.text === 'let') this.#calculate(word);
    this.#args.push(word);
  }

  /** The shell calculates with a word: with what is expanded in it, and with variables that it names. */
  #calculate({ text, sources }: Pick<Word, 'text' | 'sources'>): void {
    this.#facts.flow.evaluate([...sources, ...calculatedNames(text)], this.#facts.line(), 'arithmetic');
  }

  /** Remembers what a declaration makes of a variable. */
  #declare(word: Word): void {
    const { text } = word;
    const name = /^[A-Za-z_]\w*/.exec(text)?.[0];
    if (name === undefined) return;
    const options = this.#args.map(({ text }) => (text.startsWith('-') ? text : '')).join('');
    if (options.includes('i')) {
      this.#kinds.addInteger(name);
      this.#calculate(word);
    }
    if (/[aA]/.test(options)) this.#kinds.addList(name);
  }

  /** `name ( … )`: what the function does is taken to be done where it stands. */
  #define(): void {
    this.#facts.functions.add(this.#program!.text);
    this.#program = undefined;
    this.#defines = true;
    this.#pipelines.feedAll();
  }

  #endCommand(isPiped: boolean): void {
    if (this.#test || this.#isList) return;
    const isEmpty = [this.#assignments, this.#redirected, this.#targets].every(({ length }) => length === 0);
    if (this.#program !== undefined || this.#assignments.length > 0) {
      this.#facts.onPart?.({
        kind: 'command',
        program: this.#program,
        args: this.#args,
        assignments: this.#assignments,
        substitutes: this.#substitutes,
      });
    }
    if (this.#program !== undefined || !isEmpty || this.#pipelines.hasClosed) {
      this.#pipelines.end(
        {
          program: this.#program,
          args: this.#args,
          assignments: this.#assignments,
          redirected: this.#redirected,
          targets: this.#targets,
          line: this.#facts.line(),
          isFunction: this.#facts.functions.has(this.#program?.text ?? ''),
        },
        isPiped,
      );
    }
    this.#program = undefined;
    this.#substitutes = false;
    this.#args = [];
    this.#assignments = [];
    this.#redirected = [];
    this.#targets = [];
    this.#redirect = undefined;
    this.#afterPrefix = false;
    this.#skipsName = false;
  }
}
