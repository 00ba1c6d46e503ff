/**
 * Reads the plain part of YAML that long lists of jobs are written in: block maps and lists, scalars
 * and flow collections on one line, `|` texts. Anything else gives undefined, and so does any doubt: it never
 * reads a file differently from the yaml package, only faster (about 15 times, for 100,000 jobs).
 */
export function readPlainYaml(text: string): { value: unknown } | undefined {
  if (OTHER_SPACE.test(text)) return undefined;
  try {
    return { value: new PlainReader(text).document() };
  } catch (error) {
    if (error === NOT_PLAIN || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Characters that JavaScript takes for space or a line end, and YAML does not, or not always. */
const OTHER_SPACE = /[\r\v\f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\uFEFF]/;

const NOT_PLAIN = Symbol('not plain');

function notPlain(): never {
  throw NOT_PLAIN;
}

const ENTRY = /^([A-Za-z_][\w.-]*):(?: +|$)/;
/** A plain scalar that can mean nothing else: no indicator at its start, no `: ` and no ` #` in it. */
const PLAIN = /^(?:[^\s\-?:,[\]{}#&*!|>'"%@`=<~]|[-+.](?=[\w.]))/;
const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\u2028\u2029\uFFFE\uFFFF]|[\uD800-\uDFFF]/;

class PlainReader {
  readonly #lines: string[];
  #row = 0;

  constructor(text: string) {
    this.#lines = text.split('\n');
  }

  document(): unknown {
    this.#skipBlank();
    if (this.#row >= this.#lines.length || this.#indent() !== 0) notPlain();
    const value = this.#block(0);
    this.#skipBlank();
    if (this.#row < this.#lines.length) notPlain();
    return value;
  }

  /** Past empty lines and comments. */
  #skipBlank(): void {
    for (; this.#row < this.#lines.length; this.#row++) {
      const line = this.#lines[this.#row]!;
      if (line !== '' && !/^ *(?:#.*)?$/.test(line)) return;
    }
  }

  #indent(): number {
    const line = this.#lines[this.#row]!;
    let indent = 0;
    while (line.charCodeAt(indent) === 32) indent++;
    return indent;
  }

  /** The map or list whose first line is the current one. */
  #block(indent: number): unknown {
    const line = this.#lines[this.#row]!;
    return line[indent] === '-' && (line[indent + 1] === ' ' || line.length === indent + 1)
      ? this.#list(indent)
      : this.#map(indent, {});
  }

  #map(indent: number, map: Record<string, unknown>): Record<string, unknown> {
    for (;;) {
      const line = this.#lines[this.#row]!;
      const match = ENTRY.exec(line.slice(indent)) ?? notPlain();
      const key = match[1]!;
      if (key === '__proto__' || !isText(key) || Object.hasOwn(map, key)) notPlain();
      map[key] = this.#value(line.slice(indent + match[0].length), indent);
      if (!this.#continues(indent)) return map;
    }
  }

  /** Ends at the first line of its indent that is no item: a list may stand at the indent of its key. */
  #list(indent: number): unknown[] {
    const items: unknown[] = [];
    do {
      const line = this.#lines[this.#row]!;
      const item = /^-( +)(?=[^\s#])/.exec(line.slice(indent)) ?? notPlain();
      const inner = indent + item[0].length;
      items.push(
        ENTRY.test(line.slice(inner)) ? this.#map(inner, {}) : this.#value(line.slice(inner), indent),
      );
    } while (this.#continues(indent) && /^-(?: |$)/.test(this.#lines[this.#row]!.slice(indent)));
    return items;
  }

  /** Whether another entry follows at this indent; a line between two indents is not plain. */
  #continues(indent: number): boolean {
    this.#skipBlank();
    if (this.#row >= this.#lines.length) return false;
    const next = this.#indent();
    if (next > indent) notPlain();
    return next === indent && !(indent === 0 && /^(?:---|\.\.\.)/.test(this.#lines[this.#row]!));
  }

  /** What stands after `key:` or `- `, and all lines that belong to it. */
  #value(rest: string, indent: number): unknown {
    const written = withoutFinalSpaces(rest);
    if (written === '' || written[0] === '#') {
      this.#row++;
      this.#skipBlank();
      if (this.#row >= this.#lines.length) return null;
      const next = this.#indent();
      if (next > indent) return this.#block(next);
      return next === indent && this.#lines[this.#row]!.startsWith('- ', indent) ? this.#list(indent) : null;
    }
    if (written === '|' || written === '|-') return this.#literal(indent, written === '|');
    this.#row++;
    return flowOrScalar(written);
  }

  #literal(indent: number, finalNewline: boolean): string {
    const first = this.#lines[++this.#row] ?? notPlain();
    const inner = /^ */.exec(first)![0].length;
    if (inner <= indent || first.length === inner) notPlain();
    const margin = ' '.repeat(inner);
    const lines: string[] = [];
    for (; this.#row < this.#lines.length; this.#row++) {
      const line = this.#lines[this.#row]!;
      if (line.startsWith(margin)) {
        if (UNPRINTABLE.test(line.replaceAll('\t', ' '))) notPlain();
        lines.push(line.slice(inner));
      } else if (/^ *$/.test(line)) {
        lines.push('');
      } else {
        break;
      }
    }
    // Less indented comments after the text are fine, but belong to nobody: leave them to the yaml package.
    if (/^ +#/.test(this.#lines[this.#row] ?? '')) notPlain();
    while (lines.at(-1) === '') lines.pop();
    return lines.join('\n') + (finalNewline ? '\n' : '');
  }
}

function withoutFinalSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 32) end--;
  return text.slice(0, end);
}

function isText(key: string): boolean {
  return typeof scalar(key) === 'string';
}

function flowOrScalar(written: string): unknown {
  if (UNPRINTABLE.test(written)) notPlain();
  switch (written[0]) {
    case '[':
    case '{': {
      const flow = new FlowReader(written);
      return flow.whole();
    }
    case '"':
    case "'": {
      const end = quotedEnd(written, 0);
      if (end !== written.length && !/^ +#/.test(written.slice(end))) notPlain();
      return unquoted(written.slice(0, end));
    }
  }
  const comment = written.indexOf(' #');
  const plain = comment === -1 ? written : withoutFinalSpaces(written.slice(0, comment));
  if (!PLAIN.test(plain) || plain.includes(': ') || plain.endsWith(':') || plain.includes('\t')) notPlain();
  return scalar(plain);
}

/** The core schema of YAML 1.2; what looks like an unusual number is left to the yaml package. */
function scalar(plain: string): unknown {
  switch (plain) {
    case 'null':
    case 'Null':
    case 'NULL':
      return null;
    case 'true':
    case 'True':
    case 'TRUE':
      return true;
    case 'false':
    case 'False':
    case 'FALSE':
      return false;
  }
  if (/^(?:0|-?[1-9]\d{0,14})$/.test(plain) || /^-?\d{1,10}\.\d{1,5}$/.test(plain)) return Number(plain);
  if (/^[-+.]*\d[\d.eE+_-]*$|^0[xob]|^[-+]?\.(?:inf|nan)$/i.test(plain)) notPlain();
  return plain;
}

function quotedEnd(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === quote) return at + 1;
    if (quote === '"' && text[at] === '\\') at++;
  }
  return notPlain();
}

function unquoted(quoted: string): string {
  const inner = quoted.slice(1, -1);
  if (quoted[0] === "'" || !inner.includes('\\')) return inner;
  // These escapes mean the same in JSON.
  if (!/^(?:[^\\]|\\[\\"nrt/])*$/.test(inner)) notPlain();
  return JSON.parse(quoted) as string;
}

/** A `[…]` or `{…}` of simple things on one line. */
class FlowReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): unknown {
    const value = this.#value();
    if (this.#at < this.#text.length && !/^ +#/.test(this.#text.slice(this.#at))) notPlain();
    return value;
  }

  #value(): unknown {
    switch (this.#text[this.#at]) {
      case '[':
        return this.#list();
      case '{':
        return this.#map();
      case '"':
      case "'": {
        const start = this.#at;
        this.#at = quotedEnd(this.#text, start);
        return unquoted(this.#text.slice(start, this.#at));
      }
    }
    const plain = this.#take(/[\w./+-][\w./+-]*(?: +[\w./+-]+)*(?= *[,\]}])/y);
    if (/^-(?: |$)|^---/.test(plain)) notPlain();
    return scalar(plain);
  }

  #list(): unknown[] {
    const items: unknown[] = [];
    this.#at++;
    for (this.#space(); this.#text[this.#at] !== ']'; this.#space()) {
      items.push(this.#value());
      this.#separator(']');
    }
    this.#at++;
    return items;
  }

  #map(): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    this.#at++;
    for (this.#space(); this.#text[this.#at] !== '}'; this.#space()) {
      const key = this.#take(/[A-Za-z_]\w*(?=: )/y);
      if (key === '__proto__' || !isText(key) || Object.hasOwn(map, key)) notPlain();
      this.#at++;
      this.#space();
      map[key] = this.#value();
      this.#separator('}');
    }
    this.#at++;
    return map;
  }

  #separator(close: string): void {
    this.#space();
    if (this.#text[this.#at] === ',') this.#at++;
    else if (this.#text[this.#at] !== close) notPlain();
  }

  #space(): void {
    while (this.#text[this.#at] === ' ') this.#at++;
    if (this.#at >= this.#text.length) notPlain();
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text) ?? notPlain();
    this.#at += match[0].length;
    return match[0];
  }
}
