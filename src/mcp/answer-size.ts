/**
 * An answer is sent twice, as structured content and as text, and text within JSON grows by its escapes: both together
 * stay near 100 KB.
 */
export const ANSWER_BYTES = 44 * 1024;

export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** As many of the first items as there is room for. */
export function takeWithin<T>(items: readonly T[], bytes: number): { taken: T[]; left_out: number } {
  const taken: T[] = [];
  let used = 0;
  for (const item of items) {
    used += jsonBytes(item) + 1;
    if (used > bytes) break;
    taken.push(item);
  }
  return { taken, left_out: items.length - taken.length };
}
