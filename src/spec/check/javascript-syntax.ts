import { compileFunction } from 'node:vm';
import type { Place } from '../problem.ts';

const MAX_BYTES = 8192;

export interface SyntaxMistake {
  message: string;
  inside?: Place;
}

/**
 * Whether routing code compiles; nothing is run. A body may use `return`, or be one expression, which
 * is then what it returns.
 */
export function javascriptMistake(code: string, kind: 'body' | 'expression'): SyntaxMistake | undefined {
  if (Buffer.byteLength(code) > MAX_BYTES) return { message: `the code is longer than ${MAX_BYTES} bytes` };
  if (code.trim() === '') return { message: 'there is no code' };
  // In brackets of two kinds, so that a bracket in the code cannot end them.
  const asExpression = compile(`return (\n${code}\n)`, code) ?? compile(`return [\n${code}\n]`, code);
  if (asExpression === undefined || kind === 'expression') return asExpression;
  return compile(`\n${code}`, code);
}

/** Compiles a function body in which the code begins in the second line. */
function compile(body: string, code: string): SyntaxMistake | undefined {
  try {
    compileFunction(body, [], { filename: 'code.js', lineOffset: -1 });
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const message = `not valid JavaScript: ${error.message}`;
    const inside = placeOf(error.stack ?? '', code);
    return inside ? { message, inside } : { message };
  }
}

/** V8 prints `code.js:LINE`, the line and a caret. */
function placeOf(stack: string, code: string): Place | undefined {
  const match = /^code\.js:(-?\d+)\n[^\n]*\n( *)\^/.exec(stack);
  if (!match) return undefined;
  const line = Number(match[1]);
  const lines = code.trimEnd().split('\n').length;
  return line > lines
    ? { line: lines, column: 1 }
    : { line: Math.max(line, 1), column: match[2]!.length + 1 };
}
