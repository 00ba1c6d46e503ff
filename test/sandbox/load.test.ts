import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { Sandbox } from '../../src/sandbox/sandbox.ts';
import { HOSTILE } from './hostile-codes.ts';
import { NOW, type Outcome, outcomeOf, someInputs } from './sandbox-world.ts';

/** Some of them take most of what is allowed and must just fit, on a busy machine too. */
const CODES = [
  'attempt + loop',
  'let sum = 0; for (let i = 0; i < 100_000; i++) sum += i; return sum',
  'let n = 0; for (let i = 0; i < 40_000; i++) n += { a: i, b: [i] }.b[0]; return n',
  'Array.from({ length: 10_000 }, (_, i) => (i * 7919) % 10_007).sort((a, b) => a - b)[5000]',
  'const a = []; try { for (;;) a.push("x".repeat(20_000) + a.length); } catch { return a.length }',
  'let depth = 0; const f = () => { depth++; f(); }; try { f(); } catch { return depth }',
  'let n = 0; try { for (;;) n++; } finally { n = 1; }',
  '/(a+)+$/.test("a".repeat(12) + "b")',
  ...Object.values(HOSTILE).flatMap((codes) => codes.slice(0, 1)),
];

async function evaluateAll(): Promise<Outcome[]> {
  const sandbox = new Sandbox();
  try {
    const facts = { now: NOW, seed: 1 };
    const results = CODES.map((code) => sandbox.evaluate(code, 'body', someInputs(), facts));
    return (await Promise.all(results)).map(outcomeOf);
  } finally {
    await sandbox.stop();
  }
}

async function burnCpu(threads: number): Promise<void> {
  const source = "require('node:worker_threads').parentPort.postMessage('up'); for (;;);";
  const burners = Array.from({ length: threads }, () => new Worker(source, { eval: true }));
  onTestFinished(async () => {
    await Promise.all(burners.map((burner) => burner.terminate()));
  });
  await Promise.all(burners.map((burner) => once(burner, 'message')));
}

test('results are equal when the machine is busy', async () => {
  const quiet = await evaluateAll();
  expect(quiet.slice(0, 4)).toEqual([
    { value: 3 },
    { value: 4_999_950_000 },
    { value: 799_980_000 },
    { value: 5005 },
  ]);
  expect(quiet.filter((outcome) => 'problem' in outcome).length).toBeGreaterThan(5);
  await burnCpu(6);
  expect(await evaluateAll()).toEqual(quiet);
}, 180_000);
