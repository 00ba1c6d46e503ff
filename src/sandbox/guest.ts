/** What the machine keeps of its guest: functions that live inside it. */
export interface Guest {
  /** Takes `{ now, seed, inputs }` as JSON; the inputs are in the global `inputs` until it is deleted. */
  load(text: string): void;
  /**
   * Calls the code and answers with a GuestAnswer as JSON. Where only the truth of the result matters, one that is
   * too large is `true`: only texts, lists and objects can be.
   */
  run(holder: { code(): unknown }, isCondition: boolean): string;
  /** Answers with a GuestAnswer about something that was thrown. */
  describe(thrown: unknown): string;
}

export type GuestAnswer =
  | { kind: 'value'; value: unknown }
  /** Something was thrown; the stack has the line. */
  | { kind: 'thrown'; text: string; stack: string }
  /** The result is not what can be taken out. */
  | { kind: 'refused'; text: string };

export interface GuestLimits {
  resultLength: number;
  resultDepth: number;
  /** What is said of a result that is longer. */
  tooLarge: string;
}

/**
 * Makes the world that user code sees. It is handed to the machine as text, so that it can name nothing outside
 * itself. What it needs later it takes before any user code runs, and it calls no method of a prototype: user code
 * may have replaced them all.
 */
export function guest(limits: GuestLimits): Guest {
  const world = globalThis as unknown as Record<string, unknown>;
  const { defineProperty, freeze, getOwnPropertyNames, getPrototypeOf, keys, prototype: plain } = Object;
  const { isArray } = Array;
  const { parse, stringify } = JSON;
  const { apply } = Reflect;
  const { imul } = Math;
  const { slice } = String.prototype;
  const Refusal = TypeError;

  const allowed = `Object Array String Number Boolean Symbol BigInt Math JSON RegExp Map Set WeakMap WeakSet
    Reflect Proxy Iterator Error EvalError RangeError ReferenceError SyntaxError TypeError URIError
    AggregateError InternalError parseInt parseFloat isNaN isFinite Infinity NaN undefined
    decodeURI decodeURIComponent encodeURI encodeURIComponent ArrayBuffer DataView Int8Array Uint8Array
    Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array
    BigInt64Array BigUint64Array`.split(/\s+/);
  for (const name of getOwnPropertyNames(world)) if (!allowed.includes(name)) delete world[name];
  // Functions made from text; those of async functions do not exist without promises.
  for (const prototype of [getPrototypeOf(() => {}), getPrototypeOf(function* () {})]) {
    defineProperty(prototype, 'constructor', { value: undefined, writable: false, configurable: false });
  }

  let now = 0;
  let random = 0;
  const TheDate = function () {
    throw new Refusal(`only Date.now() is available, not ${new.target ? 'new Date()' : 'Date()'}`);
  };
  defineProperty(TheDate, 'now', { value: () => now });
  defineProperty(world, 'Date', { value: TheDate });
  // Mulberry32: small, and the same everywhere.
  Math.random = () => {
    random = (random + 0x6d2b79f5) | 0;
    let mixed = imul(random ^ (random >>> 15), 1 | random);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };

  function load(text: string): void {
    const facts = parse(text, (_, value) => freeze(value)) as { now: number; seed: number; inputs: object };
    now = facts.now;
    random = facts.seed;
    world.inputs = facts.inputs;
  }

  /** Bounded, so that the answer is. */
  const short = (text: string): string => (text.length > 1000 ? apply(slice, text, [0, 1000]) : text);

  const thrown = (text: string, stack: string): string =>
    `{"kind":"thrown","text":${stringify(short(text))},"stack":${stringify(short(stack))}}`;

  function describe(error: unknown): string {
    if (typeof error === 'string') return thrown(`threw ${stringify(short(error))}`, '');
    if (typeof error === 'function') return thrown('threw a function', '');
    if (typeof error === 'symbol') return thrown('threw a symbol', '');
    if (typeof error !== 'object' || error === null) return thrown(`threw ${error}`, '');
    const { name, message, stack } = error as Record<string, unknown>;
    if (typeof name !== 'string' || typeof message !== 'string') return thrown('threw an object', '');
    const text = message === '' ? name : `${short(name)}: ${short(message)}`;
    return thrown(text, typeof stack === 'string' ? stack : '');
  }

  interface Level {
    value: object;
    outer: Level | null;
    depth: number;
  }
  class Refused {
    readonly text: string;
    constructor(text: string) {
      this.text = text;
    }
  }
  class TooLarge extends Refused {}
  const tooLarge = new TooLarge(limits.tooLarge);

  let written = '';
  function write(text: string): void {
    written += text;
    if (written.length > limits.resultLength) throw tooLarge;
  }

  /** What JSON.stringify does, but without asking toJSON, and nothing is left out or changed in silence. */
  function encode(value: unknown, outer: Level | null): void {
    switch (typeof value) {
      case 'boolean':
        write(value ? 'true' : 'false');
        break;
      case 'undefined':
        write('null');
        break;
      case 'string':
        if (value.length > limits.resultLength) throw tooLarge;
        write(stringify(value));
        break;
      case 'number':
        // Infinities and NaN.
        if (value - value !== 0) throw new Refused(`result contains ${value}, which is not JSON`);
        write(`${value}`);
        break;
      case 'object':
        if (value === null) write('null');
        else if (isArray(value)) encodeArray(value, enter(value, outer));
        else encodeObject(value, enter(value, outer));
        break;
      case 'function':
        throw new Refused('result contains a function');
      default:
        throw new Refused(`result contains a ${typeof value}`);
    }
  }

  function enter(value: object, outer: Level | null): Level {
    const depth = outer === null ? 1 : outer.depth + 1;
    if (depth <= limits.resultDepth) return { value, outer, depth };
    for (let above = outer; above !== null; above = above.outer) {
      if (above.value === value) throw new Refused('result contains itself');
    }
    throw new TooLarge(`result is nested deeper than ${limits.resultDepth} levels`);
  }

  function encodeArray(value: unknown[], level: Level): void {
    write('[');
    for (let index = 0; index < value.length; index += 1) {
      if (index > 0) write(',');
      encode(value[index], level);
    }
    write(']');
  }

  function encodeObject(value: object, level: Level): void {
    const prototype = getPrototypeOf(value);
    if (prototype !== plain && prototype !== null) {
      throw new Refused('result contains an object that is not plain data');
    }
    const names = keys(value);
    let before = '{';
    for (let index = 0; index < names.length; index += 1) {
      const inner = (value as Record<string, unknown>)[names[index]!];
      if (inner === undefined) continue;
      write(before);
      encode(names[index], level);
      write(':');
      encode(inner, level);
      before = ',';
    }
    write(before === '{' ? '{}' : '}');
  }

  function run(holder: { code(): unknown }, isCondition: boolean): string {
    try {
      // Not as a method: `holder` is not for user code.
      const { code } = holder;
      encode(code(), null);
      return `{"kind":"value","value":${written}}`;
    } catch (error) {
      try {
        if (error instanceof TooLarge && isCondition) return '{"kind":"value","value":true}';
        if (error instanceof Refused) return `{"kind":"refused","text":${stringify(error.text)}}`;
        return describe(error);
      } catch {
        return thrown('threw something that cannot be described', '');
      }
    }
  }

  return { load, run, describe };
}
