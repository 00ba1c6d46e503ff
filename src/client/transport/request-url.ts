import { writeJobRef } from '../../contract/job-ref-text.ts';

type Value = string | number | boolean | readonly (string | number)[] | undefined;
export type Parameters = Readonly<Record<string, Value>>;

/** The address of an endpoint with its parameters filled in. */
export function requestUrl(base: string, path: string, params: Parameters, query: Parameters): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(write(name, params[name])),
  );
  const words = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(write(name, value))}`);
  return `${base}${filled}${words.length === 0 ? '' : `?${words.join('&')}`}`;
}

function write(name: string, value: Value): string {
  if (name === 'job' && (typeof value === 'string' || typeof value === 'number')) return writeJobRef(value);
  return Array.isArray(value) ? value.join(',') : String(value);
}
