export type ParameterValue = string | number | boolean;

/** Values as they are written; an object names a file, and stands for its values until they are read. */
export type WrittenValues = string | ParameterValue[] | object;

/** More values than this in one sweep is a mistake, not a workflow. */
export const MAX_EXPANSIONS = 1_000_000;

type Parsed = { values: ParameterValue[] } | { error: string };

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;

/** `"1:100"`, `"1:10:2"`, `"0:1:0.1"` (ends included), `"[a,b]"` or a list → its values. */
export function parameterValues(written: WrittenValues): Parsed {
  if (Array.isArray(written)) {
    return written.length === 0 ? { error: 'the list has no values' } : { values: written };
  }
  // Its file could not be read, which was reported.
  if (typeof written !== 'string') return { values: [] };
  const text = written.trim();
  if (text.startsWith('[') && text.endsWith(']')) return bracketed(text.slice(1, -1));
  const range = span(text);
  if (range !== undefined) {
    if ('error' in range) return range;
    const { first, step, unit, length } = range;
    return { values: Array.from({ length }, (_, index) => (first + index * step) / unit) };
  }
  return { error: `"${written}" is not a sweep; write "1:100", "0:1:0.1", "[a,b]" or a list` };
}

/** How many values there are, without making them; 1 where there is a mistake. */
export function parameterCount(written: WrittenValues): number {
  if (Array.isArray(written)) return Math.max(written.length, 1);
  if (typeof written !== 'string') return 1;
  const parsed = span(written.trim());
  if (parsed === undefined) {
    const other = parameterValues(written);
    return 'values' in other ? other.values.length : 1;
  }
  return 'error' in parsed ? 1 : parsed.length;
}

/** Items between commas; in quotes a comma is part of the item, and a number stays text. */
function bracketed(inner: string): Parsed {
  if (inner.trim() === '') return { error: 'the list has no values' };
  const items: string[] = [];
  let start = 0;
  let quote: string | undefined;
  for (let at = 0; at < inner.length; at++) {
    const sign = inner[at]!;
    if (quote !== undefined) {
      if (sign === quote) quote = undefined;
    } else if ((sign === '"' || sign === "'") && inner.slice(start, at).trim() === '') {
      quote = sign;
    } else if (sign === ',') {
      items.push(inner.slice(start, at));
      start = at + 1;
    }
  }
  if (quote !== undefined) return { error: `the list has a ${quote} that is not closed` };
  return { values: [...items, inner.slice(start)].map((item) => scalar(item.trim())) };
}

function scalar(item: string): ParameterValue {
  const quoted = /^(["'])(.*)\1$/.exec(item);
  return quoted ? quoted[2]! : plainValue(item);
}

/** Only numbers that print as they were written: 007 and 1.50 stay text. */
export function plainValue(item: string): ParameterValue {
  return NUMBER.test(item) && String(Number(item)) === item ? Number(item) : item;
}

type Span = { first: number; step: number; unit: number; length: number };

/** A range; undefined if it is none. */
function span(text: string): Span | { error: string } | undefined {
  const parts = text.split(':', 4).map((part) => part.trim());
  const isRange = (parts.length === 2 || parts.length === 3) && parts.every((part) => NUMBER.test(part));
  return isRange ? range(parts[0]!, parts[1]!, parts[2] ?? '1') : undefined;
}

/** Counts in units of the last written decimal, so that 0:1:0.1 gives 0.3 and not 0.30000000000000004. */
function range(from: string, to: string, by: string): Span | { error: string } {
  const decimals = Math.max(...[from, to, by].map((part) => part.split('.')[1]?.length ?? 0));
  if (decimals > 12) return { error: 'a range has at most 12 decimals' };
  const unit = 10 ** decimals;
  const [first, last, step] = [from, to, by].map((part) => Math.round(Number(part) * unit));
  if (![first, last, step].every(Number.isSafeInteger))
    return { error: 'the numbers of a range are too large' };
  if (step === 0) return { error: 'the step of a range must not be 0' };
  const length = Math.floor((last! - first!) / step!) + 1;
  if (length < 1)
    return { error: `the range "${from}:${to}:${by}" has no values; its step goes the other way` };
  if (length > MAX_EXPANSIONS)
    return { error: `the range has ${length} values, more than ${MAX_EXPANSIONS}` };
  return { first: first!, step: step!, unit, length };
}
