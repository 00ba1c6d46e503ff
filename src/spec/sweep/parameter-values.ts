export type ParameterValue = string | number | boolean;

/** More values than this in one sweep is a mistake, not a workflow. */
export const MAX_EXPANSIONS = 1_000_000;

type Parsed = { values: ParameterValue[] } | { error: string };

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;

/** `"1:100"`, `"1:10:2"`, `"0:1:0.1"` (ends included), `"[a,b]"` or a list → its values. */
export function parameterValues(written: string | ParameterValue[]): Parsed {
  if (Array.isArray(written)) {
    return written.length === 0 ? { error: 'the list has no values' } : { values: written };
  }
  const text = written.trim();
  if (text.startsWith('[') && text.endsWith(']')) return bracketed(text.slice(1, -1));
  const parts = text.split(':').map((part) => part.trim());
  if ((parts.length === 2 || parts.length === 3) && parts.every((part) => NUMBER.test(part))) {
    return range(parts[0]!, parts[1]!, parts[2] ?? '1');
  }
  return { error: `"${written}" is not a sweep; write "1:100", "0:1:0.1", "[a,b]" or a list` };
}

function bracketed(inner: string): Parsed {
  if (inner.trim() === '') return { error: 'the list has no values' };
  const values = inner.split(',').map((item) => scalar(item.trim()));
  return { values };
}

function scalar(item: string): ParameterValue {
  const quoted = /^(["'])(.*)\1$/.exec(item);
  if (quoted) return quoted[2]!;
  // Only numbers that print as they were written: 007 and 1.50 stay text.
  return NUMBER.test(item) && String(Number(item)) === item ? Number(item) : item;
}

/** Counts in units of the last written decimal, so that 0:1:0.1 gives 0.3 and not 0.30000000000000004. */
function range(from: string, to: string, by: string): Parsed {
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
  return { values: Array.from({ length }, (_, index) => (first! + index * step!) / unit) };
}
