import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { HoldfastError } from '../../core/errors.ts';
import type { Invocation } from '../command-context.ts';

/** The file of `-o` or `--report`; undefined if it was not given. Checked before anything is done for it. */
export function reportFile(flag: string, value: Invocation['options'][string]): string | undefined {
  if (typeof value !== 'string') return undefined;
  // A spec or a log that is named by mistake must not be overwritten.
  if (!/\.html?$/i.test(value)) throw invalid(flag, `must be a file that ends in .html, not ${value}`);
  if (isDirectory(value)) throw invalid(flag, `${value} is a directory`);
  const directory = dirname(resolve(value));
  if (!isDirectory(directory)) throw invalid(flag, `there is no directory ${directory}`);
  return value;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
