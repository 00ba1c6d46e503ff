/** What a Range header asks for; `from` negative: so many bytes before the end. */
export interface ByteRange {
  from: number;
  /** Included; null: to the end. */
  to: number | null;
}

/** One range of bytes. Anything else is null, and means the whole, as RFC 9110 has it. */
export function readRange(header: string | undefined): ByteRange | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  if (match === null) return null;
  const [, from, to] = match as unknown as [string, string, string];
  if (from === '') return to === '' || Number(to) === 0 ? null : { from: -Number(to), to: null };
  if (to !== '' && Number(to) < Number(from)) return null;
  return { from: Number(from), to: to === '' ? null : Number(to) };
}
