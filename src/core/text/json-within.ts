/** JSON of the list, with as many of its first values as fit. */
export function jsonWithin(values: readonly unknown[], mostBytes: number): string {
  const kept: string[] = [];
  let bytes = 2;
  for (const value of values) {
    const text = JSON.stringify(value);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > mostBytes) break;
    kept.push(text);
  }
  return `[${kept.join(',')}]`;
}

/** For one variable of an environment: Linux takes none beyond 128 KB. */
export const MOST_VARIABLE_BYTES = 100 * 1024;
