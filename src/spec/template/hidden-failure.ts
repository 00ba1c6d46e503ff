import { nameOf, type Word } from './command-word.ts';
import type { ScriptPart } from './command-words.ts';
import { variableSource } from './data-flow.ts';
import { ShellScanner } from './shell-scanner.ts';

/** A command whose failure does not fail the script. */
export interface HiddenFailure {
  program: string;
  by: 'pipe' | 'list';
}

/** What hardly fails, or says by itself how the script continues. */
const HARMLESS = new Set(
  ': true echo printf export declare local readonly set unset shopt trap sleep umask wait exit return break continue shift'.split(
    ' ',
  ),
);
const STATUS = [variableSource('?'), variableSource('PIPESTATUS')];
const CONDITIONS = new Set(['if', 'elif', 'while', 'until']);

type Command = Extract<ScriptPart, { kind: 'command' }>;

/** An item of a list: what fails if it does, as far as that is known. */
interface Item {
  /** Null: it hardly fails, or the script looks at how it ended. */
  program: string | null;
  /** It ends the script with a code of its own. */
  exits: boolean;
  readsStatus: boolean;
}

const NOTHING: Item = { program: null, exits: false, readsStatus: false };

/** The first command of a script of plain bash whose failure is not noticed. In doubt there is none. */
export function hiddenFailure(script: string): HiddenFailure | undefined {
  const parts: ScriptPart[] = [];
  const scanner = new ShellScanner(script.replaceAll('\0', ''), { onPart: (part) => parts.push(part) });
  for (const _ of scanner.pieces());
  return new Reading(parts).result();
}

/** Reads lists of commands by recursive descent. What it does not understand it leaves, with what was found so far. */
class Reading {
  readonly #parts: readonly ScriptPart[];
  #at = 0;
  #found: HiddenFailure | undefined;
  #stopsAtFailure = false;
  #sees = false;

  constructor(parts: readonly ScriptPart[]) {
    this.#parts = parts;
    this.#sees = parts.some((part) => part.kind === 'command' && words(part).some(readsPipe));
  }

  result(): HiddenFailure | undefined {
    this.#list('', false);
    return this.#at < this.#parts.length ? undefined : this.#found;
  }

  /** Up to a word that ends it; a loop runs again after the last item. */
  #list(end: string, isLoop: boolean): Item {
    const items: Item[] = [];
    const found = this.#found;
    for (;;) {
      while (this.#isOperator(';', '\n', '&')) this.#at++;
      if (this.#at >= this.#parts.length || this.#isEnd(end)) break;
      const before = this.#at;
      const stops = this.#stopsAtFailure;
      const item = this.#chain();
      items.push(stops ? { ...item, program: null } : item);
      if (this.#at === before) break;
    }
    const last = items.at(-1);
    // The script says itself how it ends.
    if (last?.exits && !isLoop) this.#found = found;
    else this.#checkItems(isLoop ? [...items, NOTHING] : items);
    return last ?? NOTHING;
  }

  #checkItems(items: readonly Item[]): void {
    for (const [index, { program }] of items.slice(0, -1).entries()) {
      if (program !== null && !items[index + 1]!.readsStatus) this.#found ??= { program, by: 'list' };
    }
  }

  /** `a && b || c`: with `||` the author has thought of failures. */
  #chain(): Item {
    let item = this.#pipeline();
    for (;;) {
      const operator = this.#double('&') ? '&&' : this.#double('|') ? '||' : undefined;
      if (operator === undefined) break;
      this.#at += 2;
      while (this.#isOperator('\n')) this.#at++;
      const next = this.#pipeline();
      item =
        operator === '||'
          ? { ...next, program: null, readsStatus: item.readsStatus }
          : { ...next, program: item.program ?? next.program, readsStatus: item.readsStatus };
    }
    // What runs in the background is waited for, or not.
    return this.#isOperator('&') ? { ...item, program: null } : item;
  }

  #pipeline(): Item {
    let item = this.#command();
    while (this.#isOperator('|') && !this.#double('|')) {
      this.#at++;
      while (this.#isOperator('\n', '&')) this.#at++;
      if (item.program !== null && !this.#sees) this.#found ??= { program: item.program, by: 'pipe' };
      item = this.#command();
    }
    return item;
  }

  #command(): Item {
    const part = this.#parts[this.#at];
    if (part === undefined) return NOTHING;
    if (part.kind === 'operator') return part.char === '(' ? this.#subshell() : NOTHING;
    this.#at++;
    if (part.kind === 'command') return this.#simple(part);
    if (CONDITIONS.has(part.word)) return this.#conditional(part.word);
    if (part.word === '{') return this.#closed(this.#list('}', false));
    // `! a` is a test, and `time a` is a.
    if (part.word === '!') return { ...this.#command(), program: null };
    return part.word === 'time' ? this.#command() : NOTHING;
  }

  #subshell(): Item {
    this.#at++;
    const isFunction = this.#isOperator(')');
    const stops = this.#stopsAtFailure;
    const item = this.#list(')', false);
    this.#at++;
    this.#stopsAtFailure = stops;
    if (!isFunction) return item;
    while (this.#isOperator('\n')) this.#at++;
    this.#command();
    return NOTHING;
  }

  #conditional(word: string): Item {
    const found = this.#found;
    const condition = this.#list(word === 'if' || word === 'elif' ? 'then' : 'do', false);
    // What is tested may fail.
    this.#found = found;
    this.#at++;
    if (word !== 'if' && word !== 'elif') return this.#loop(condition.readsStatus);
    const { readsStatus } = condition;
    const branches = [this.#list('fi', false)];
    for (;;) {
      const part = this.#parts[this.#at];
      if (part?.kind !== 'keyword' || (part.word !== 'else' && part.word !== 'elif')) break;
      this.#at++;
      if (part.word === 'elif') {
        branches.push(this.#conditional('elif'));
        return { ...NOTHING, program: firstOf(branches), readsStatus };
      }
      branches.push(this.#list('fi', false));
    }
    return this.#closed({ ...NOTHING, program: firstOf(branches), readsStatus });
  }

  #loop(readsStatus: boolean): Item {
    this.#list('done', true);
    return this.#closed({ ...NOTHING, readsStatus });
  }

  /** Past the word that ends a compound command. */
  #closed(item: Item): Item {
    this.#at++;
    return { ...item, exits: false };
  }

  #simple(command: Command): Item {
    const name = command.program === undefined ? '' : nameOf(command.program);
    const readsStatus = words(command).some(({ sources }) => STATUS.some((each) => sources.includes(each)));
    if (name === 'case') {
      while (this.#at < this.#parts.length && !this.#isEnd('esac')) this.#at++;
      return this.#closed({ ...NOTHING, readsStatus });
    }
    if (name === 'for' || name === 'select') {
      while (this.#isOperator(';', '\n')) this.#at++;
      this.#at++;
      return this.#loop(readsStatus);
    }
    if (name === 'set') this.#options(command.args);
    const isHarmless = command.program === undefined ? !command.substitutes : HARMLESS.has(name);
    return {
      program: isHarmless ? null : name || nameless(command),
      exits: name === 'exit' || name === 'false',
      readsStatus,
    };
  }

  #options(args: readonly Word[]): void {
    for (const { text } of args) {
      if (/^-\w*e/.test(text) || text === 'errexit') this.#stopsAtFailure = true;
      else if (/^\+\w*e/.test(text)) this.#stopsAtFailure = false;
      if (text === 'pipefail') this.#sees = true;
    }
  }

  #isEnd(end: string): boolean {
    const part = this.#parts[this.#at]!;
    switch (part.kind) {
      case 'operator':
        return part.char === ')' && end === ')';
      case 'keyword':
        return part.word === end || (end === 'fi' && (part.word === 'else' || part.word === 'elif'));
      case 'command':
        return end !== '' && part.program?.text === end;
    }
  }

  #isOperator(...chars: string[]): boolean {
    const part = this.#parts[this.#at];
    return (
      part?.kind === 'operator' && chars.includes(part.char) && !(part.char === '&' && this.#double('&'))
    );
  }

  #double(char: string): boolean {
    const [first, second] = [this.#parts[this.#at], this.#parts[this.#at + 1]];
    return isChar(first, char) && isChar(second, char);
  }
}

function firstOf(items: readonly Item[]): string | null {
  return items.find(({ program }) => program !== null)?.program ?? null;
}

function isChar(part: ScriptPart | undefined, char: string): boolean {
  return part?.kind === 'operator' && part.char === char;
}

/** Of `a=$( … )`, or of an empty word, which is no program. */
function nameless({ program, assignments }: Command): string {
  return program === undefined ? `${assignments[0]?.text ?? ''}$( … )` : "''";
}

function words({ program, args, assignments }: Command): readonly Word[] {
  return [...(program === undefined ? [] : [program]), ...args, ...assignments];
}

function readsPipe({ sources }: Word): boolean {
  return sources.includes(variableSource('PIPESTATUS'));
}
