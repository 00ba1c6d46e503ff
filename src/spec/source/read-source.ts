import { extname } from 'node:path';
import { readJson5 } from './read-json5.ts';
import { readYaml } from './read-yaml.ts';
import type { SourceDocument } from './source-document.ts';

/** Reads by extension: `.json` and `.json5` as JSON5, everything else as YAML. Never throws. */
export function readSource(text: string, fileName: string): SourceDocument {
  const clean = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const extension = extname(fileName).toLowerCase();
  try {
    return extension === '.json' || extension === '.json5' ? readJson5(clean) : readYaml(clean);
  } catch (error) {
    // Both readers recurse: what is left to go wrong is depth.
    const message = error instanceof RangeError ? 'nested too deeply' : (error as Error).message;
    return { ok: false, mistakes: [{ line: 1, column: 1, message: `cannot be read: ${message}` }] };
  }
}
