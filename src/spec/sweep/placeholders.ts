import type { ParameterValue } from './parameter-values.ts';

/** One combination of parameter values. */
export type Binding = Readonly<Record<string, ParameterValue>>;

/** `{i}`, `{i:03d}`, `{x:.2f}`. After a `$` it is a shell variable and stays. */
const PLACEHOLDER = /(?<!\$)\{([A-Za-z_]\w*)(?::([^{}]*))?\}/g;
const FORMAT = /^(0?)(\d*)(?:\.(\d+))?([dfes]?)$/;

/** A placeholder in a text, known or not. */
export interface Placeholder {
  written: string;
  name: string;
  format: string | undefined;
  start: number;
  end: number;
}

export function placeholdersIn(text: string): Placeholder[] {
  if (!text.includes('{')) return [];
  return [...text.matchAll(PLACEHOLDER)].map((match) => ({
    written: match[0],
    name: match[1]!,
    format: match[2],
    start: match.index,
    end: match.index + match[0].length,
  }));
}

export function isFormat(format: string): boolean {
  return FORMAT.test(format);
}

/**
 * Replaces the placeholders of known parameters; `{other}` is the syntax of another program and stays.
 * A format that does not fit its value is reported, and stays too.
 */
export function fillPlaceholders(text: string, binding: Binding, onProblem?: OnProblem): string {
  return placeholderFiller(text)(binding, onProblem);
}

type OnProblem = (problem: string) => void;

/** The same for many bindings: the text is looked through once. */
export function placeholderFiller(text: string): (binding: Binding, onProblem?: OnProblem) => string {
  const places = placeholdersIn(text);
  if (places.length === 0) return () => text;
  const before = places.map(({ start }, index) =>
    text.slice(index === 0 ? 0 : places[index - 1]!.end, start),
  );
  const rest = text.slice(places.at(-1)!.end);
  return (binding, onProblem) => {
    let filled = '';
    for (const [index, place] of places.entries()) {
      const value = Object.hasOwn(binding, place.name) ? binding[place.name] : undefined;
      filled += before[index]!;
      filled += value === undefined ? place.written : filledPlaceholder(place, value, onProblem);
    }
    return filled + rest;
  };
}

/** What stands for a placeholder; itself where the format does not fit. */
export function filledPlaceholder(
  { written, name, format }: Pick<Placeholder, 'written' | 'name' | 'format'>,
  value: ParameterValue,
  onProblem?: OnProblem,
): string {
  if (format === undefined) return String(value);
  const filled = formatted(value, format);
  if (filled !== undefined) return filled;
  onProblem?.(
    FORMAT.test(format)
      ? `${written} cannot format ${JSON.stringify(value)}`
      : `${written} has an unknown format; write {${name}}, {${name}:03d} or {${name}:.2f}`,
  );
  return written;
}

function formatted(value: ParameterValue, format: string): string | undefined {
  const match = FORMAT.exec(format);
  if (!match) return undefined;
  const [, zero, width, precision, kind] = match;
  const digits = precision === undefined ? undefined : Number(precision);
  if ((digits ?? 0) > 100 || Number(width) > 1000) return undefined;
  let text: string;
  if (kind === 's' || (kind === '' && digits === undefined)) {
    text = String(value);
  } else {
    const number = typeof value === 'number' ? value : Number.NaN;
    if (!Number.isFinite(number)) return undefined;
    if (kind === 'd') {
      if (!Number.isInteger(number) || digits !== undefined) return undefined;
      text = String(number);
    } else {
      text = kind === 'e' ? number.toExponential(digits ?? 6) : number.toFixed(digits ?? 6);
    }
  }
  if (zero === '' || typeof value !== 'number') return text.padStart(Number(width));
  const sign = text.startsWith('-') ? '-' : '';
  return sign + text.slice(sign.length).padStart(Number(width) - sign.length, '0');
}
