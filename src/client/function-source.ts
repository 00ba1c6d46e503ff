import { parseExpressionAt } from 'acorn';
import { HoldfastError } from '../core/errors.ts';

/** The source of a function that can run somewhere else; what cannot is refused with the reason. */
export function functionSource(entrypoint: unknown): string {
  if (typeof entrypoint !== 'function') refuse('is not a function');
  const source = Function.prototype.toString.call(entrypoint);
  if (/\{\s*\[native code\]\s*\}\s*$/.test(source)) {
    refuse(
      entrypoint.name.startsWith('bound ')
        ? 'is a bound function, whose `this` and arguments cannot be sent; pass what it needs in `args`'
        : 'is a function of the runtime, which has no source; call it in a function of your own',
    );
  }
  if (/^class\b/.test(source)) refuse('is a class; write a function that makes what it needs');
  const node = parsed(source);
  if (node === undefined) refuse('is a method; write `function name(…) { … }` or an arrow function');
  if (node.generator) refuse('is a generator; write a function that returns its result');
  return source;
}

function parsed(source: string): { generator?: boolean } | undefined {
  try {
    const text = `(${source}\n)`;
    const node = parseExpressionAt(text, 0, { ecmaVersion: 'latest' });
    const isFunction = node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression';
    return isFunction && node.end <= text.length ? node : undefined;
  } catch {
    return undefined;
  }
}

function refuse(problem: string): never {
  throw new HoldfastError('INVALID_ARGUMENT', { argument: 'entrypoint', problem });
}
