/** Words with which programs report that something went wrong. */
const SIGNS =
  /error\b|exception|traceback|\b(?:fatal|failed|failure|panic(?:ked)?|abort(?:ed|ing)?|killed|denied|refused|cannot|segmentation fault|core dumped|out of memory|no space left|not found|no such file)\b/i;

/** Whether a line of a log looks like an error. */
export function isErrorLine(line: string): boolean {
  return SIGNS.test(line);
}
