const MOST_LINES = 200;
const MOST_BYTES = 8 * 1024;
/** Everything that could move a cursor or end a text in a database, but line ends and tabs. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/**
 * The end of a log as evidence of a failure: at most 200 lines and 8 KB. A line is there as a whole, unless it alone is
 * too long: half a secret would not be recognised as one.
 */
export function evidenceTail(text: string): string {
  const lines = text.replace(CONTROLS, ' ').replace(/\n+$/, '').split('\n');
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines.slice(-MOST_LINES).reverse()) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > MOST_BYTES) break;
    kept.unshift(line);
  }
  return kept.length > 0 ? kept.join('\n') : endOfLine(lines.at(-1) ?? '');
}

/** From the first blank in the part that fits. */
function endOfLine(line: string): string {
  const bytes = Buffer.from(line);
  const end = bytes
    .subarray(bytes.length - MOST_BYTES)
    .toString('utf8')
    .replace(/^\ufffd+/, '');
  const blank = end.indexOf(' ');
  return blank < 0 ? end : end.slice(blank + 1);
}
