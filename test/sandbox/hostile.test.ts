import { describe, expect, test } from 'vitest';
import { HOSTILE } from './hostile-codes.ts';
import { sandboxWorld } from './sandbox-world.ts';

const evaluate = sandboxWorld();

/** What may be said of each class. */
const LIMITS: Record<string, RegExp> = {
  'endless loops': /^took more than the steps allowed \(about 25 ms\)$/,
  'endless built-in functions': /^(took more than 100 ms|needed more than 8 MB)$/,
  'loops in callbacks': /^took more than the steps allowed \(about 25 ms\)$/,
  'traps in results and errors': /^(took more than the steps allowed \(about 25 ms\)|result .+)$/,
  'memory bombs': /^(needed more than 8 MB|InternalError: string too long.*|RangeError: .+)$/,
  'regular expressions': /^took more than (the steps allowed \(about 25 ms\)|100 ms)$/,
  recursion: /^(ran out of stack.*|took more than .+|needed more than 8 MB)$/,
  'deeply nested code': /^(needed more than 8 MB|ran out of stack.*|result .+|ReferenceError: .+|threw 1)$/,
  'ways out': /^\w+Error: .+$/,
};

for (const [name, codes] of Object.entries(HOSTILE)) {
  describe(name, () => {
    test.each(codes.map((code) => [code.slice(0, 90), code]))('%s', async (_, code) => {
      expect(await evaluate(code)).toEqual({ problem: expect.stringMatching(LIMITS[name]!) });
      expect(await evaluate('attempt + 1')).toEqual({ value: 3 });
    });
  });
}

test('what runs into a limit can still be caught where that is harmless', async () => {
  const code = 'try { (function f() { f(); })(); } catch { return "deep"; }';
  expect(await evaluate(code)).toEqual({ value: 'deep' });
  expect(await evaluate('try { "x".repeat(2 ** 29); } catch { return "large"; }')).toEqual({
    value: 'large',
  });
});

test('the global object of the code has nothing of ours', async () => {
  const names = 'Object.getOwnPropertyNames((function () { return this; })()).sort()';
  const { value } = (await evaluate(names)) as { value: string[] };
  expect(value.filter((name) => /^[a-z]/.test(name))).toEqual([
    'decodeURI',
    'decodeURIComponent',
    'encodeURI',
    'encodeURIComponent',
    'isFinite',
    'isNaN',
    'parseFloat',
    'parseInt',
    'undefined',
  ]);
});
