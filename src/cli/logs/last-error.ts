/** Words with which programs report that something went wrong. */
const SIGNS =
  /error\b|exception|traceback|\b(?:fatal|failed|failure|panic(?:ked)?|abort(?:ed|ing)?|killed|denied|cannot|segmentation fault|core dumped|out of memory|no space left|not found|no such file)\b/i;

const BEFORE = 10;
const AFTER = 10;

/** The last line that looks like an error, with the lines around it; null if none does. */
export function lastError(lines: readonly string[]): string[] | null {
  const index = lines.findLastIndex((line) => SIGNS.test(line));
  return index < 0 ? null : lines.slice(Math.max(0, index - BEFORE), index + AFTER + 1);
}
