import { foundPatterns } from '../spec/pattern.ts';
import { readTail } from './read-tail.ts';

const LINES = 200;
const BYTES = 256 * 1024;

/** Which of the patterns (RE2) are found in the last 200 lines of the attempt's stderr. */
export async function matchStderr(stderrPath: string, patterns: string[]): Promise<string[]> {
  const tail = (await readTail(stderrPath, BYTES)).split('\n').slice(-LINES).join('\n');
  return foundPatterns(patterns, tail);
}
