import { CommandWords, type ScriptFacts, type ScriptPart } from './command-words.ts';
import { DataFlow, NUMBER, VALUE, variableSource } from './data-flow.ts';
import type { Refusal } from './refusals.ts';
import { calculatedInHeredoc, calculatedNames, parameterAt } from './shell/calculated-names.ts';
import { type Heredoc, heredocAt } from './shell/heredoc.ts';
import { calculatesIn, type Frame, type PlainFrame } from './shell/shell-frames.ts';
import { VariableKinds } from './variable-kinds.ts';

export type Piece =
  | { kind: 'text'; text: string }
  | {
      kind: 'value';
      index: number;
      line: number;
      context: 'unquoted' | 'double' | 'single' | 'ansi' | 'comment' | Refusal;
    };

interface ScanOptions {
  /** The values that are whole numbers. */
  numbers?: ReadonlySet<number>;
  /** The facts of the script that this is a part of, which gives it `stdin`. */
  within?: ScriptFacts;
  stdin?: string;
  onPart?: ((part: ScriptPart) => void) | undefined;
}

const MARKER = /\0(\d+)\0/y;
const NAME = /[A-Za-z_]\w*/y;
const VARIABLE = /\$(?:[A-Za-z_]\w*|[\d@*#?$!-])/y;

/**
 * Follows bash through a command as far as quoting goes, and finds for each marked value where it stands.
 * It need not understand commands: a value is bound to a variable in any case. What it must not miss is
 * the places where the shell evaluates a value once more; in doubt it calls a place one of those.
 */
export class ShellScanner {
  readonly #text: string;
  readonly #facts: ScriptFacts;
  readonly #isPart: boolean;
  readonly #numbers: ReadonlySet<number>;
  readonly #stack: Frame[];
  /** `source`: what its text is, if it is expanded. */
  readonly #heredocs: (Pick<Heredoc, 'delimiter' | 'stripTabs'> & { source: string | undefined })[] = [];
  #at = 0;
  #line = 1;
  /** A backslash, dollar sign or heredoc operator that ended right in front of the current place. */
  #before: '' | '\\' | '$' | '<<' = '';
  #comment = false;
  #inHeredoc = false;
  #late: { line: number; refusal: Refusal } | undefined;

  constructor(text: string, { numbers = new Set(), within, stdin, onPart }: ScanOptions = {}) {
    this.#text = text;
    this.#numbers = numbers;
    this.#isPart = within !== undefined;
    this.#facts = within ?? {
      kinds: new VariableKinds(),
      flow: new DataFlow(),
      functions: new Set(),
      line: () => this.#line,
      scan: (code, input) => this.#scanCode(code, input).end(),
      onLate: (refusal) => {
        this.#late ??= { line: this.#line, refusal };
      },
      onPart,
    };
    const words = new CommandWords(this.#facts, stdin ?? this.#facts.flow.newNode());
    this.#stack = [{ kind: 'plain', nested: false, words }];
  }

  *pieces(): Generator<Piece> {
    let from = 0;
    while (this.#at < this.#text.length) {
      if (this.#text[this.#at] !== '\0') {
        this.#advance();
        continue;
      }
      if (this.#at > from) yield { kind: 'text', text: this.#text.slice(from, this.#at) };
      const index = this.#marker();
      yield { kind: 'value', index, line: this.#line, context: this.#context(index) };
      from = this.#at;
    }
    if (this.#at > from) yield { kind: 'text', text: this.#text.slice(from) };
    while (this.#stack.length > 1) this.#popFrame();
    (this.#stack[0] as PlainFrame).words.end();
    if (!this.#isPart) this.#late ??= this.#facts.flow.reached();
  }

  /** Where a value turned out to be evaluated by what follows it, once all pieces were taken. */
  get late(): { line: number; refusal: Refusal } | undefined {
    return this.#late;
  }

  #popFrame(): void {
    const frame = this.#stack.pop()!;
    if (frame.kind !== 'plain') return;
    const output = this.#words.absorb(frame.words);
    if (this.#calculates) this.#calculate([output]);
  }

  get #calculates(): boolean {
    return calculatesIn(this.#stack, this.#at);
  }

  /** A value that comes from these sources would be evaluated. */
  #calculate(sources: readonly string[]): void {
    this.#facts.flow.evaluate(sources, this.#facts.line(), 'arithmetic');
  }

  /** A name that is written without a dollar sign. */
  #calculateName(): void {
    NAME.lastIndex = this.#at;
    const name = NAME.exec(this.#text)?.[0];
    // The name in `${name}` was read with its braces.
    const isWritten = !/\w$|\$\{[!#]?$/.test(this.#text.slice(Math.max(0, this.#at - 3), this.#at));
    if (name !== undefined && isWritten && this.#calculates) this.#calculate(calculatedNames(name));
  }

  /** The words of the innermost context. */
  get #words(): CommandWords {
    return this.#stack.findLast((frame) => frame.kind === 'plain')!.words;
  }

  get #top(): Frame {
    return this.#stack.at(-1)!;
  }

  #marker(): number {
    MARKER.lastIndex = this.#at;
    const match = MARKER.exec(this.#text);
    if (!match) throw new Error('a NUL that is no marker');
    this.#at += match[0].length;
    return Number(match[1]);
  }

  /** Where the value that was just passed stands. */
  #context(index: number): Extract<Piece, { kind: 'value' }>['context'] {
    if (this.#comment) return 'comment';
    const before = this.#before;
    if (this.#inHeredoc || before === '<<') return 'heredoc';
    this.#before = '';
    for (const frame of this.#stack) {
      if (frame.kind === 'arithmetic' || frame.kind === 'backtick' || frame.kind === 'parameter')
        return frame.kind;
      if (frame.kind === 'plain') {
        const source = this.#numbers.has(index) ? NUMBER : VALUE;
        const refusal = frame.words.value(frame.words !== this.#words, source);
        if (refusal) return refusal;
      }
    }
    const { kind } = this.#top;
    if (before === '\\' && kind !== 'single') return 'escape';
    if (before === '$' && (kind === 'plain' || kind === 'double')) return 'dollar';
    return kind === 'plain' ? 'unquoted' : (kind as 'double' | 'single' | 'ansi');
  }

  #advance(): void {
    const char = this.#text[this.#at]!;
    if (char === '\n') this.#line++;
    if (this.#comment) {
      if (char !== '\n') {
        this.#at++;
        return;
      }
      this.#comment = false;
    }
    if (this.#inHeredoc) {
      this.#heredocLine();
      return;
    }
    this.#before = '';
    this.#calculateName();
    const frame = this.#top;
    switch (frame.kind) {
      case 'plain':
        this.#plain(frame, char);
        break;
      case 'single':
        this.#at++;
        if (char === "'") this.#stack.pop();
        else this.#around?.quoted(char);
        break;
      case 'ansi':
        if (this.#escape(char)) {
          this.#around?.expanded(false);
        } else {
          this.#at++;
          if (char === "'") this.#stack.pop();
          else this.#around?.quoted(char);
        }
        break;
      case 'double': {
        const words = this.#around;
        if (this.#escape(char)) {
          words?.quoted(this.#text[this.#at - 1]);
        } else if (this.#dollar(char, true)) {
          words?.expanded(false);
        } else {
          this.#at++;
          if (char === '"') {
            this.#stack.pop();
          } else if (char === '`') {
            this.#stack.push({ kind: 'backtick', from: this.#at });
            words?.expanded(false);
          } else {
            words?.quoted(char);
          }
        }
        break;
      }
      case 'backtick':
        if (this.#escape(char)) break;
        this.#at++;
        if (char === '`') {
          this.#stack.pop();
          this.#scanBackticks(this.#text.slice(frame.from, this.#at - 1));
        }
        break;
      case 'parameter':
        if (this.#escape(char) || this.#dollar(char, frame.inDouble)) break;
        this.#at++;
        if (char === '}') this.#stack.pop();
        else this.#quote(char, frame.inDouble);
        break;
      case 'arithmetic':
        if (this.#escape(char) || this.#dollar(char, true)) break;
        this.#at++;
        if (!this.#quote(char, false)) this.#nestArithmetic(frame, char);
    }
  }

  /** The words that the quotes at the current place are part of. */
  get #around(): CommandWords | undefined {
    const frame = this.#stack.at(-2);
    return frame?.kind === 'plain' ? frame.words : undefined;
  }

  #plain(frame: Extract<Frame, { kind: 'plain' }>, char: string): void {
    const { words } = frame;
    if (this.#escape(char)) {
      const escaped = this.#text[this.#at - 1]!;
      if (escaped !== '\n') words.quoted(escaped);
      return;
    }
    if (char === '#' && words.atWordStart) {
      this.#comment = true;
      this.#at++;
      return;
    }
    if (this.#dollar(char, false)) {
      words.expanded(true);
      return;
    }
    if (this.#text.startsWith('((', this.#at) && !words.beforeList) {
      this.#enter(2, { kind: 'arithmetic', close: '))', depth: 0 });
      return;
    }
    if (!words.inSubscript && this.#heredocStart(words)) return;
    this.#at++;
    if (this.#quote(char, false)) {
      if (char === '`') words.expanded(true);
      else words.quoted();
      return;
    }
    if (char === '(' && words.beforeList) {
      words.openList();
      this.#stack.push({ kind: 'plain', nested: true, words: words.nest(true) });
      return;
    }
    words.push(char, this.#text[this.#at]);
    if (words.inTest) return;
    if (char === '(') this.#stack.push({ kind: 'plain', nested: true, words: words.nest() });
    else if (char === ')' && frame.nested && !words.inCase) this.#popFrame();
    else if (char === '\n' && this.#heredocs.length > 0) this.#inHeredoc = true;
  }

  /** Backticks are scripts of their own; a value in them is refused, but a variable may hold one. */
  #scanBackticks(text: string): void {
    const code = text.replace(/\\([$`\\])/g, '$1').replaceAll('\0', '');
    const output = this.#words.absorb(this.#scanCode(code, this.#facts.flow.newNode()));
    if (this.#calculates) this.#calculate([output]);
  }

  #scanCode(code: string, stdin: string): CommandWords {
    const within = { ...this.#facts, onPart: undefined };
    const inner = new ShellScanner(code, { numbers: this.#numbers, within, stdin });
    for (const _ of inner.pieces());
    return (inner.#stack[0] as PlainFrame).words;
  }

  /** A backslash and what it protects; a value is never protected. */
  #escape(char: string): boolean {
    if (char !== '\\') return false;
    const next = this.#text[this.#at + 1];
    if (next === '\n') this.#line++;
    this.#before = next === '\0' ? '\\' : '';
    this.#at += next === '\0' || next === undefined ? 1 : 2;
    return true;
  }

  #dollar(char: string, inDouble: boolean): boolean {
    if (char !== '$') return false;
    const rest = this.#text.slice(this.#at + 1, this.#at + 3);
    if (rest === '((') this.#enter(3, { kind: 'arithmetic', close: '))', depth: 0 });
    else if (rest[0] === '[') this.#enter(2, { kind: 'arithmetic', close: ']', depth: 0 });
    else if (rest[0] === '(')
      this.#enter(2, { kind: 'plain', nested: true, words: this.#words.nest(false, true) });
    else if (rest[0] === '{') {
      const { reads, isIndirect, calculatesFrom } = parameterAt(this.#text, this.#at);
      if (reads !== undefined) this.#read(reads);
      if (isIndirect) this.#facts.flow.evaluate([variableSource(reads!)], this.#facts.line(), 'name');
      this.#enter(2, { kind: 'parameter', inDouble, calculatesFrom });
    } else if (rest[0] === "'" && !inDouble) this.#enter(2, { kind: 'ansi' });
    else {
      VARIABLE.lastIndex = this.#at;
      const variable = VARIABLE.exec(this.#text)?.[0] ?? '$';
      this.#at += variable.length;
      if (variable === '$') this.#before = '$';
      else this.#read(variable.slice(1));
    }
    return true;
  }

  #read(name: string): void {
    this.#words.reads(name);
    if (this.#calculates) this.#calculate([variableSource(name)]);
  }

  #enter(length: number, frame: Frame): void {
    this.#at += length;
    this.#stack.push(frame);
  }

  #quote(char: string, inDouble: boolean): boolean {
    if (char === '"') this.#stack.push({ kind: 'double' });
    else if (char === "'" && !inDouble) this.#stack.push({ kind: 'single' });
    else if (char === '`') this.#stack.push({ kind: 'backtick', from: this.#at });
    else return false;
    return true;
  }

  #nestArithmetic(frame: Extract<Frame, { kind: 'arithmetic' }>, char: string): void {
    const [open, close] = frame.close === ']' ? '[]' : '()';
    if (char === open) frame.depth++;
    else if (char !== close) return;
    else if (frame.depth > 0) frame.depth--;
    else if (frame.close === ']') this.#stack.pop();
    else if (this.#text[this.#at] === ')') {
      this.#at++;
      this.#stack.pop();
    }
  }

  /** Past `<<WORD`, remembering the delimiter. `<<<` is an ordinary word. */
  #heredocStart(words: CommandWords): boolean {
    if (this.#text.startsWith('<<<', this.#at)) {
      this.#at += 3;
      words.hereString();
      return true;
    }
    const found = heredocAt(this.#text, this.#at);
    if (found === undefined) return false;
    if (found.valueAt !== undefined) {
      this.#at = found.valueAt;
      this.#before = '<<';
      return true;
    }
    const { end, isExpanded, ...heredoc } = found;
    this.#at = end;
    const source = isExpanded ? this.#facts.flow.newNode() : undefined;
    if (source !== undefined) words.heredoc(source);
    this.#heredocs.push({ ...heredoc, source });
    return true;
  }

  /** One line of a heredoc's text, up to a value or past its end. */
  #heredocLine(): void {
    const heredoc = this.#heredocs[0]!;
    const lineStart = this.#text.lastIndexOf('\n', this.#at - 1) + 1;
    const lineEnd = this.#text.indexOf('\n', this.#at);
    const end = lineEnd === -1 ? this.#text.length : lineEnd;
    const value = this.#text.indexOf('\0', this.#at);
    if (value !== -1 && value < end) {
      this.#at = value;
      return;
    }
    const line = this.#text.slice(lineStart, end);
    if ((heredoc.stripTabs ? line.replace(/^\t+/, '') : line) === heredoc.delimiter) {
      this.#heredocs.shift();
      this.#inHeredoc = this.#heredocs.length > 0;
    } else if (heredoc.source !== undefined) {
      for (const [, name] of line.matchAll(/\$\{?[!#]?(\w+|[@*])/g))
        this.#facts.flow.add([variableSource(name!)], heredoc.source);
      this.#calculate(calculatedInHeredoc(line));
    }
    if (this.#at < end && end < this.#text.length) this.#line++;
    this.#at = Math.min(end + 1, this.#text.length);
  }
}
