import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, readText } from './markdown.ts';

/** The text of all tests, in which each has its name in quotes. */
export const namedTests = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readText(`test/${file}`))
  .join('\n');
