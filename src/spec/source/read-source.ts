import { extname } from 'node:path';
import { isTooDeep, TOO_DEEP } from './depth.ts';
import { readJson5 } from './read-json5.ts';
import { readKdl } from './read-kdl.ts';
import { readYaml } from './read-yaml.ts';
import type { SourceDocument } from './source-document.ts';

/** Reads by extension: `.json` and `.json5` as JSON5, `.kdl` as KDL, everything else as YAML. Never throws. */
export function readSource(text: string, fileName: string): SourceDocument {
  const clean = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const extension = extname(fileName).toLowerCase();
  try {
    const source = readAs(extension, clean);
    return source.ok && isTooDeep(source.value) ? refused(TOO_DEEP) : source;
  } catch (error) {
    // All readers recurse: what is left to go wrong is depth.
    return refused(error instanceof RangeError ? TOO_DEEP : (error as Error).message);
  }
}

function readAs(extension: string, text: string): SourceDocument {
  switch (extension) {
    case '.kdl':
      return readKdl(text);
    case '.json':
    case '.json5':
      return readJson5(text);
    default:
      return readYaml(text);
  }
}

function refused(problem: string): SourceDocument {
  return { ok: false, mistakes: [{ line: 1, column: 1, message: `cannot be read: ${problem}` }] };
}
