import { CommandWords } from './command-words.ts';
import type { Refusal } from './refusals.ts';
import { VariableKinds } from './variable-kinds.ts';

export type Piece =
  | { kind: 'text'; text: string }
  | {
      kind: 'value';
      index: number;
      line: number;
      context: 'unquoted' | 'double' | 'single' | 'ansi' | 'comment' | Refusal;
    };

type Frame =
  | { kind: 'plain'; nested: boolean; words: CommandWords }
  | { kind: 'double' | 'single' | 'ansi' | 'backtick' }
  | { kind: 'parameter'; inDouble: boolean }
  /** `$(( … ))` and `(( … ))`, or `$[ … ]`. */
  | { kind: 'arithmetic'; close: '))' | ']'; depth: number };

interface Heredoc {
  delimiter: string;
  stripTabs: boolean;
}

const MARKER = /\0(\d+)\0/y;
const VARIABLE = /\$(?:[A-Za-z_]\w*|[\d@*#?$!-])/y;
const HEREDOC = /<<(-?)[ \t]*((?:\\[\s\S]|'[^']*'|"[^"]*"|[^\s;&|<>()'"\\])+)/y;

/**
 * Follows bash through a command as far as quoting goes, and tells for each marked value where it stands.
 * It need not understand commands: a value is bound to a variable in any case. What it must not miss is
 * the places where the shell evaluates a value once more; in doubt it calls a place one of those.
 */
export class ShellScanner {
  readonly #text: string;
  readonly #kinds = new VariableKinds();
  readonly #stack: Frame[] = [{ kind: 'plain', nested: false, words: this.#newWords() }];
  readonly #heredocs: Heredoc[] = [];
  #at = 0;
  #line = 1;
  /** A backslash, dollar sign or heredoc operator that ended right in front of the current place. */
  #before: '' | '\\' | '$' | '<<' = '';
  #comment = false;
  #inHeredoc = false;
  #late: { line: number; refusal: Refusal } | undefined;

  constructor(text: string) {
    this.#text = text;
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
      yield { kind: 'value', index, line: this.#line, context: this.#context() };
      from = this.#at;
    }
    if (this.#at > from) yield { kind: 'text', text: this.#text.slice(from) };
  }

  /** Where a value turned out to be evaluated by what follows it, once all pieces were taken. */
  get late(): { line: number; refusal: Refusal } | undefined {
    return this.#late;
  }

  #newWords(isList = false): CommandWords {
    const onLate = (refusal: Refusal) => {
      this.#late ??= { line: this.#line, refusal };
    };
    return new CommandWords(this.#kinds, onLate, isList);
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
  #context(): Extract<Piece, { kind: 'value' }>['context'] {
    if (this.#comment) return 'comment';
    const before = this.#before;
    if (this.#inHeredoc || before === '<<') return 'heredoc';
    this.#before = '';
    for (const frame of this.#stack) {
      if (frame.kind === 'arithmetic' || frame.kind === 'backtick' || frame.kind === 'parameter')
        return frame.kind;
      if (frame.kind === 'plain') {
        const refusal = frame.words.value();
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
            this.#stack.push({ kind: 'backtick' });
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
        if (char === '`') this.#stack.pop();
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
      this.#stack.push({ kind: 'plain', nested: true, words: this.#newWords(true) });
      return;
    }
    words.push(char, this.#text[this.#at]);
    if (words.inTest) return;
    if (char === '(') this.#stack.push({ kind: 'plain', nested: true, words: this.#newWords() });
    else if (char === ')' && frame.nested && !words.inCase) this.#stack.pop();
    else if (char === '\n' && this.#heredocs.length > 0) this.#inHeredoc = true;
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
    else if (rest[0] === '(') this.#enter(2, { kind: 'plain', nested: true, words: this.#newWords() });
    else if (rest[0] === '{') this.#enter(2, { kind: 'parameter', inDouble });
    else if (rest[0] === "'" && !inDouble) this.#enter(2, { kind: 'ansi' });
    else {
      VARIABLE.lastIndex = this.#at;
      const variable = VARIABLE.exec(this.#text)?.[0] ?? '$';
      this.#at += variable.length;
      if (variable === '$') this.#before = '$';
    }
    return true;
  }

  #enter(length: number, frame: Frame): void {
    this.#at += length;
    this.#stack.push(frame);
  }

  #quote(char: string, inDouble: boolean): boolean {
    if (char === '"') this.#stack.push({ kind: 'double' });
    else if (char === "'" && !inDouble) this.#stack.push({ kind: 'single' });
    else if (char === '`') this.#stack.push({ kind: 'backtick' });
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
    HEREDOC.lastIndex = this.#at;
    const match = HEREDOC.exec(this.#text);
    if (!match) return false;
    const value = match[0].indexOf('\0');
    if (value !== -1) {
      this.#at += value;
      this.#before = '<<';
      return true;
    }
    this.#at += match[0].length;
    const delimiter = match[2]!.replace(/\\([\s\S])|['"]/g, '$1');
    this.#heredocs.push({ delimiter, stripTabs: match[1] === '-' });
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
    }
    if (this.#at < end && end < this.#text.length) this.#line++;
    this.#at = Math.min(end + 1, this.#text.length);
  }
}
