import { HoldfastError } from '../core/errors.ts';
import { createPaint } from './terminal/styled-line.ts';

interface PrintedError {
  code: string;
  message: string;
  hint: string;
}

/** Lists of problems are printed as they are, so that editors find their places. */
const LISTS = new Set(['INVALID_SPEC', 'INVALID_CONFIG']);
/** `nightly.yaml:3`; a problem of a flag or a variable has no place. */
const PLACE = /^[^:\n]+:\d+/;

/** Prints an error on stderr and returns the exit code. `usageHint`: where the command that was given is described. */
export function printError(error: unknown, json: boolean, usageHint?: string): number {
  const known = error instanceof HoldfastError;
  const printed: PrintedError = known
    ? { code: error.code, message: error.message, hint: hintOf(error, usageHint) }
    : {
        code: 'BUG',
        message: `unexpected: ${error instanceof Error ? error.message : String(error)}`,
        hint: 'this is a bug in Holdfast; report it with what the same command prints under HOLDFAST_DEBUG=1',
      };
  printErrorRecord(printed, json);
  if (process.env.HOLDFAST_DEBUG) process.stderr.write(`${debugText(error)}\n`);
  return known ? error.exitCode : 1;
}

function hintOf({ code, hint }: HoldfastError, usageHint: string | undefined): string {
  return code === 'INVALID_ARGUMENT' ? (usageHint ?? hint) : hint;
}

export function printErrorRecord(printed: PrintedError, json: boolean): void {
  if (json) {
    process.stderr.write(`${JSON.stringify({ error: printed })}\n`);
    return;
  }
  const paint = createPaint(process.stderr.isTTY === true && !process.env.NO_COLOR);
  const isList = LISTS.has(printed.code) && PLACE.test(printed.message);
  const message = isList ? printed.message : `${paint('red', 'error:')} ${printed.message}`;
  process.stderr.write(
    `${message}\n${printed.hint === '' ? '' : `${paint('dim', 'hint:')} ${printed.hint}\n`}`,
  );
}

function debugText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by: ${debugText(error.cause)}`;
  return `${error.stack}${cause}`;
}
