/** What one event may hold. Pages of events are read by everybody who looks. */
const MOST_EVENT_BYTES = 256 * 1024;
const LONGEST_TEXT = 4_000;
const LONGEST_LIST = 200;
const LONGEST_REASON = 10_000;

export function boundedReason(reason: string | null): string | null {
  return reason === null ? null : shortened(reason, LONGEST_REASON);
}

/** As JSON. Of what is too large, long texts and lists are cut first; then only the short values are kept. */
export function boundedData(data: Record<string, unknown>): string {
  const whole = JSON.stringify(data);
  if (Buffer.byteLength(whole) <= MOST_EVENT_BYTES) return whole;
  const cut = JSON.stringify(cutDown(data));
  if (Buffer.byteLength(cut) <= MOST_EVENT_BYTES) return cut;
  const short = Object.entries(data).filter(([, value]) => JSON.stringify(value ?? null).length <= 200);
  return JSON.stringify({
    ...Object.fromEntries(short.slice(0, 50)),
    left_out_bytes: Buffer.byteLength(whole),
  });
}

function cutDown(value: unknown): unknown {
  if (typeof value === 'string') return shortened(value, LONGEST_TEXT);
  if (Array.isArray(value)) {
    const kept = value.slice(0, LONGEST_LIST).map(cutDown);
    return value.length > LONGEST_LIST ? [...kept, `… ${value.length - LONGEST_LIST} more`] : kept;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cutDown(each)]));
}

function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}… (${text.length - most} more characters)`;
}
