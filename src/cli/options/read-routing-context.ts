import { readFileSync } from 'node:fs';
import { HoldfastError } from '../../core/errors.ts';
import type { RoutingConfig } from '../../core/policy/routes.ts';
import { didYouMean } from '../../spec/suggest.ts';

const KEYS = ['pr', 'files'];

/** The file of `--context`: what JavaScript in the spec sees as `pr` and `files`. */
export function readRoutingContext(path: string): RoutingConfig['context'] {
  let context: unknown;
  try {
    context = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid(path, 'is not valid JSON', error);
    const { code, message } = error as NodeJS.ErrnoException;
    throw invalid(path, code === 'ENOENT' ? 'there is no such file' : `cannot be read: ${message}`, error);
  }
  if (typeof context !== 'object' || context === null || Array.isArray(context)) {
    throw invalid(path, 'must be a JSON object with pr and files');
  }
  for (const key of Object.keys(context)) {
    if (KEYS.includes(key)) continue;
    throw invalid(path, `unknown key ${key}${didYouMean(key, KEYS) || '; it has pr and files'}`);
  }
  const { pr = null, files = null } = context as { pr?: unknown; files?: unknown };
  return { pr, files };
}

function invalid(path: string, problem: string, cause?: unknown): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument: `--context ${path}`, problem }, cause);
}
