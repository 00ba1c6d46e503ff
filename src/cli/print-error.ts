import { HoldfastError } from '../core/errors.ts';
import { createPaint } from './terminal/styled-line.ts';

interface ToldError {
  code: string;
  message: string;
  hint: string;
}

/** Lists of problems are printed as they are, so that editors find their places. */
const LISTS = new Set(['INVALID_SPEC', 'INVALID_CONFIG']);

/** Tells an error on stderr and returns the exit code. */
export function printError(error: unknown, json: boolean): number {
  const known = error instanceof HoldfastError;
  const told: ToldError = known
    ? { code: error.code, message: error.message, hint: error.hint }
    : {
        code: 'BUG',
        message: `unexpected: ${error instanceof Error ? error.message : String(error)}`,
        hint: 'this is a bug in Holdfast; report it with what the same command prints under HOLDFAST_DEBUG=1',
      };
  printToldError(told, json);
  if (process.env.HOLDFAST_DEBUG) process.stderr.write(`${debugText(error)}\n`);
  return known ? error.exitCode : 1;
}

export function printToldError(told: ToldError, json: boolean): void {
  if (json) {
    process.stderr.write(`${JSON.stringify({ error: told })}\n`);
    return;
  }
  const paint = createPaint(process.stderr.isTTY === true && !process.env.NO_COLOR);
  const message = LISTS.has(told.code) ? told.message : `${paint('red', 'error:')} ${told.message}`;
  process.stderr.write(`${message}\n${told.hint === '' ? '' : `${paint('dim', 'hint:')} ${told.hint}\n`}`);
}

function debugText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by: ${debugText(error.cause)}`;
  return `${error.stack}${cause}`;
}
