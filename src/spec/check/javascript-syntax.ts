import type * as Acorn from 'acorn';
import type { CodeKind } from '../../core/job/evaluation.ts';
import { lazyModule } from '../lazy-module.ts';
import type { Place } from '../problem.ts';
import { javascriptWords } from './javascript-words.ts';

const acorn = lazyModule<typeof Acorn>('acorn');

const MAX_BYTES = 8192;

export interface CodeMistake {
  message: string;
  inside?: Place;
}

/**
 * Whether routing code compiles; nothing is run. A body may use `return`, or be one expression, which
 * is then what it returns.
 */
export function javascriptMistake(code: string, kind: CodeKind): CodeMistake | undefined {
  if (Buffer.byteLength(code) > MAX_BYTES) return { message: `the code is longer than ${MAX_BYTES} bytes` };
  if (code.trim() === '') return { message: 'there is no code' };
  // In brackets of two kinds, so that a bracket in the code cannot end them.
  const round = compile(`return (\n${code}\n)`, code);
  const square = compile(`return [\n${code}\n]`, code);
  if (round === undefined && square === undefined) return undefined;
  if (kind === 'body') return compile(`\n${code}`, code);
  // A bracket too many is seen first in the brackets that it does not end.
  return round === undefined || (square !== undefined && square.offset < round.offset) ? square : round;
}

/** Parses a function body in which the code begins in the second line. Never V8: it can abort the process on a mistake. */
function compile(body: string, code: string): (CodeMistake & { offset: number }) | undefined {
  try {
    acorn().parse(body, { ecmaVersion: 2023, allowReturnOutsideFunction: true });
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError) || !('pos' in error)) throw error;
    const end = code.trimEnd().length;
    const offset = Math.min((error.pos as number) - (body.indexOf('\n') + 1), end);
    const problem =
      offset === end ? 'the code ends too early' : javascriptWords(error.message, code, Math.max(0, offset));
    return { message: `not valid JavaScript: ${problem}`, inside: placeOf(offset, code), offset };
  }
}

function placeOf(offset: number, text: string): Place {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
