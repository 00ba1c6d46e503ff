import { describe, expect, test } from 'vitest';
import { sandboxWorld } from './sandbox-world.ts';

const evaluate = sandboxWorld();

describe('what a failure says', () => {
  test.each([
    ['x', "ReferenceError: 'x' is not defined (line 1)"],
    ['let x = 1;\n\nreturn y + 1;', "ReferenceError: 'y' is not defined (line 3)"],
    ['const f = () => {\n  throw new RangeError("no");\n};\n\nf();', 'RangeError: no (line 2)'],
    ['let x = ;', "SyntaxError: unexpected token in expression: ';' (line 1)"],
    ['let a = 1;\nlet b = (;', "SyntaxError: unexpected token in expression: ';' (line 2)"],
    ['throw new Error()', 'Error (line 1)'],
    [
      'throw Object.assign(new Error("two\\nlines\\u0007\\u202e"), { name: "Odd" })',
      'Odd: two lines (line 1)',
    ],
    ['throw "boom"', 'threw "boom"'],
    ['throw 5', 'threw 5'],
    ['throw null', 'threw null'],
    ['throw undefined', 'threw undefined'],
    ['throw Symbol("s")', 'threw a symbol'],
    ['throw () => 1', 'threw a function'],
    ['throw { a: 1 }', 'threw an object'],
    ['throw { toString() { for (;;); } }', 'threw an object'],
    ['throw { name: "N", get message() { throw 1; } }', 'threw something that cannot be described'],
    ['throw new Proxy({}, { get() { throw 1; } })', 'threw something that cannot be described'],
    ['throw new Proxy({}, { getPrototypeOf() { throw 1; } })', 'threw something that cannot be described'],
  ])('%s', async (code, problem) => {
    expect(await evaluate(code)).toEqual({ problem });
  });

  test('is bounded, however long the message is', async () => {
    const { problem } = (await evaluate('throw new Error("😀".repeat(100_000))')) as { problem: string };
    expect(problem).toMatch(/^Error: (😀)+… \(line 1\)$/u);
    expect(problem.length).toBeLessThan(330);
  });

  test('the methods that describe it can be replaced without effect', async () => {
    const code =
      'String.prototype.slice = RegExp.prototype.exec = () => { for (;;); }; throw new Error("x".repeat(5000))';
    expect(await evaluate(code)).toEqual({ problem: expect.stringMatching(/^Error: x{290,}… \(line 1\)$/) });
  });
});

describe('results that cannot be taken out', () => {
  test.each([
    ['() => 1', 'result contains a function'],
    ['[[() => 1]]', 'result contains a function'],
    ['({ then() {} })', 'result contains a function'],
    ['({ toJSON() { return 1; } })', 'result contains a function'],
    ['Symbol()', 'result contains a symbol'],
    ['[10n]', 'result contains a bigint'],
    ['0 / 0', 'result contains NaN, which is not JSON'],
    ['[1 / 0]', 'result contains Infinity, which is not JSON'],
    ['new Map()', 'result contains an object that is not plain data'],
    ['/x/', 'result contains an object that is not plain data'],
    ['class A {} return new A()', 'result contains an object that is not plain data'],
    ['new Uint8Array(4)', 'result contains an object that is not plain data'],
    ['const o = {}; o.o = o; return o', 'result contains itself'],
    ['const a = []; a.push([a]); return a', 'result contains itself'],
    [
      'let a = []; for (let i = 0; i < 100; i++) a = [a]; return a',
      'result is nested deeper than 100 levels',
    ],
    ['"x".repeat(65_536)', 'result is larger than 64 KB'],
    ['"é".repeat(40_000)', 'result is larger than 64 KB'],
    ['Array.from({ length: 30_000 }, (_, i) => i)', 'result is larger than 64 KB'],
    ['new Array(2 ** 32 - 1)', 'result is larger than 64 KB'],
    [
      'const s = "x".repeat(100); return Array.from({ length: 1000 }, () => s)',
      'result is larger than 64 KB',
    ],
  ])('%s', async (code, problem) => {
    expect(await evaluate(code)).toEqual({ problem });
  });

  test('just below the limits they can', async () => {
    expect(await evaluate('"x".repeat(65_534).length')).toEqual({ value: 65_534 });
    expect(await evaluate('"x".repeat(65_534)')).toEqual({ value: 'x'.repeat(65_534) });
    expect(await evaluate('Array.from({ length: 10_000 }, (_, i) => i)')).toHaveProperty(
      'value.length',
      10_000,
    );
    expect(await evaluate('let a = []; for (let i = 0; i < 99; i++) a = [a]; return a')).toHaveProperty(
      'value',
    );
  });
});

describe('code that is not what it seems', () => {
  test.each([
    '}); throw 1; ({ code() {',
    '}, x, function () {',
    '}, ...[evil()], function () {',
    '} function code() {',
    '}}); ({ code() {',
    '}\n[evil()] = function () {',
    '1) + (2',
    '1], [2',
    '1 /*',
    '*/ 1',
    '`',
    '`${',
    '"',
    '/',
    '(',
    '...[1]',
    'super.x',
    'await 1',
    'import x from "fs"',
    'import.meta',
    '1 }',
    '\u0000',
  ])('%j does not compile', async (code) => {
    expect(await evaluate(code)).toEqual({
      problem: expect.stringMatching(/^SyntaxError: .+ \(line [12]\)$/),
    });
  });

  test('8 KB are allowed and a byte more is not', async () => {
    expect(await evaluate(`1 ${'/'.repeat(8190)}`)).toEqual({ value: 1 });
    expect(await evaluate(`1 ${'/'.repeat(8191)}`)).toEqual({ problem: 'code is longer than 8 KB' });
    expect(await evaluate(`1 //${'é'.repeat(4095)}`)).toEqual({ problem: 'code is longer than 8 KB' });
  });
});
