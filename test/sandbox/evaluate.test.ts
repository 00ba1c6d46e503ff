import { describe, expect, test } from 'vitest';
import { NOW, sandboxWorld } from './sandbox-world.ts';

const evaluate = sandboxWorld();

describe('code and its value', () => {
  test.each<[string, unknown]>([
    ["if (error.stderr.includes('not found')) return 'setup';\nreturn null;", 'setup'],
    ['attempt + loop', 3],
    ['step.tags.filter((tag) => tag.startsWith("f"))', ['fast']],
    ['const fixes = [];\nfixes.push("lint");\nreturn fixes;', ['lint']],
    ['total = 0; for (const n of [1, 2]) total += n; return total', 3],
    ['return', null],
    ['// nothing to say', null],
    ['undefined', null],
    ['attempt === 2 ? "unit" : null // the last line is a comment', 'unit'],
    ['/* first */ 1', 1],
    ['{ a: 1 }', { a: 1 }],
    ['a: for (;;) { break a; }', null],
    ['"one\u2028two"', 'one\u2028two'],
    ['outputs?.missing?.overview ?? "none"', 'none'],
    ['[1, , 2, undefined]', [1, null, 2, null]],
    ['({ a: undefined, b: null })', { b: null }],
    ['"abc".match(/b(.)/)', ['bc', 'c']],
    ['Object.create(null)', {}],
    ['-0', 0],
    ['[0.1 + 0.2, 1e300, -1.5e-7]', [0.1 + 0.2, 1e300, -1.5e-7]],
    ['"\\ud83d\\ude00 \\u0000 \\"quoted\\""', '😀 \u0000 "quoted"'],
    ['[...new Set([1, 1, 2])].concat([...new Map([[3, 4]]).keys()])', [1, 2, 3]],
    ['JSON.parse(JSON.stringify({ x: [1] }))', { x: [1] }],
    ['new Proxy({ a: 1 }, {})', { a: 1 }],
  ])('%j', async (code, value) => {
    expect(await evaluate(code)).toEqual({ value });
  });

  test('an expression is not a body', async () => {
    expect(await evaluate('output > 3', 'expression', { output: 4 })).toEqual({ value: true });
    expect(await evaluate('return 1', 'expression')).toHaveProperty('problem');
    expect(await evaluate('1; 2', 'expression')).toHaveProperty('problem');
  });

  test('a condition that is a long text is true, where a body would fail', async () => {
    const output = 'x'.repeat(100_000);
    expect(await evaluate('output', 'expression', { output })).toEqual({ value: true });
    expect(await evaluate('output', 'body', { output })).toEqual({ problem: 'result is larger than 64 KB' });
  });

  test('a key named __proto__ is data', async () => {
    const outcome = await evaluate('JSON.parse(\'{"__proto__": {"polluted": 1}}\')');
    expect(JSON.stringify(outcome)).toBe('{"value":{"__proto__":{"polluted":1}}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('inputs', () => {
  test('are all there, as they were given', async () => {
    const names =
      'step, attempt, loop, error, foreach, outputs, failures, variables, outputs_history, output, pr, files, env';
    const foreach = { key: 'a', index: 0, total: 2, path: 'list[0]' };
    const pr = { title: 'a "title"\nof two lines' };
    expect(await evaluate(`({ ${names} })`, 'body', { foreach, pr })).toMatchObject({
      value: {
        step: { id: 'unit' },
        attempt: 2,
        foreach,
        pr,
        env: { CI: 'true' },
        failures: { p: [{ key: 'b', index: 1, status: 'failed', error: 'exit 1' }] },
        variables: { rate: 0.5 },
        outputs_history: { setup: [1, 2] },
      },
    });
  });

  test('are found under a name that is written with escapes', async () => {
    expect(await evaluate('\\u0061ttempt')).toEqual({ value: 2 });
  });

  test.each([
    ['attempt = 9; return attempt', { problem: "TypeError: 'attempt' is read-only (line 1)" }],
    ['outputs.setup = 9; return outputs.setup.nested', { value: { deep: true } }],
    ['delete outputs.setup.nested.deep; return outputs.setup.nested', { value: { deep: true } }],
    ['"use strict"; step.id = "other"', { problem: "TypeError: 'id' is read-only (line 1)" }],
    ['step.tags.push("more")', { problem: 'TypeError: object is not extensible (line 1)' }],
    ['step.tags.sort()', { problem: "TypeError: '0' is read-only (line 1)" }],
    ['Object.setPrototypeOf(outputs, null)', { problem: 'TypeError: object is not extensible (line 1)' }],
    ['const attempt = 5; return attempt', { value: 5 }],
  ])('cannot be changed: %s', async (code, outcome) => {
    expect(await evaluate(code)).toEqual(outcome);
  });

  test('of several megabytes do not use up the memory of the code', async () => {
    const list = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `item ${id}`, tags: ['a', 'b'] }));
    const code = "return outputs.list.length + 'x'.repeat(7_000_000).length";
    expect(await evaluate(code, 'body', { outputs: { list } })).toEqual({ value: 7_020_000 });
    expect(await evaluate('outputs.setup.files.length')).toEqual({ value: 2 });
  });

  test('that are too large are a failure only if the code names them', async () => {
    const outputs = { text: 'x'.repeat(5_000_000) };
    expect(await evaluate('outputs.text.length', 'body', { outputs })).toEqual({
      problem: 'the inputs it names are too large',
    });
    expect(await evaluate('attempt', 'body', { outputs })).toEqual({ value: 2 });
  });

  test('may be nested deeply', async () => {
    const pr = JSON.parse('['.repeat(500) + ']'.repeat(500));
    expect(await evaluate('pr[0][0].length', 'body', { pr })).toEqual({ value: 1 });
  });
});

describe('time and chance', () => {
  test('the time is that of the event', async () => {
    expect(await evaluate('[Date.now(), Date.now()]')).toEqual({ value: [NOW, NOW] });
  });

  test.each([
    ['new Date()', 'TypeError: only Date.now() is available, not new Date() (line 1)'],
    ['return 1 + Date()', 'TypeError: only Date.now() is available, not Date() (line 1)'],
  ])('%s is refused', async (code, problem) => {
    expect(await evaluate(code)).toEqual({ problem });
  });

  test('chance follows the seed', async () => {
    const draw = (seed: number) =>
      evaluate('[Math.random(), Math.random(), Math.random()]', 'body', {}, seed);
    const first = await draw(7);
    expect(await draw(7)).toEqual(first);
    expect(await draw(8)).not.toEqual(first);
    const { value } = first as { value: number[] };
    expect(new Set(value).size).toBe(3);
    expect(value.every((number) => number >= 0 && number < 1)).toBe(true);
  });
});

describe('one evaluation and the next', () => {
  test('share nothing', async () => {
    const pollute = `
      Object.prototype.polluted = 1; Array.prototype.map = null; JSON.stringify = () => '"evil"';
      String.prototype.includes = () => true; Math.random = () => 4; leaked = 1; delete Date; return 1;`;
    expect(await evaluate(pollute)).toEqual({ value: 1 });
    const look = `return [({}).polluted, typeof leaked, [1].map((n) => n + 1), 'a'.includes('b'),
      Math.random() < 1, typeof Date.now, JSON.stringify('x')]`;
    expect(await evaluate(look)).toEqual({ value: [null, 'undefined', [2], false, true, 'function', '"x"'] });
  });

  test('begin with the same memory, whatever was there before', async () => {
    const fill =
      'const a = []; try { for (;;) a.push("x".repeat(50_000) + a.length); } catch { return a.length; }';
    const first = await evaluate(fill);
    await evaluate(
      'const m = new Map(); try { for (let i = 0; ; i++) m.set("k" + i, [i]); } catch { return m.size; }',
    );
    expect(await evaluate(fill)).toEqual(first);
    expect((first as { value: number }).value).toBeGreaterThan(100);
  });
});
