import { readFileSync } from 'node:fs';
import { HoldfastError } from '../../core/errors.ts';
import { parseToken } from './address-settings.ts';

/** The token that a file has, alone on its first line. Errors do not contain it. */
export function readTokenFile(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw invalid(path, code === 'ENOENT' ? 'there is no such file' : message, error);
  }
  const parsed = parseToken(text.trim());
  if ('value' in parsed && parsed.value !== null) return parsed.value;
  throw invalid(path, 'has no token as `holdfast token create` prints it');
}

function invalid(path: string, problem: string, cause?: unknown): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument: path, problem }, cause);
}
