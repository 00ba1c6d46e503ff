import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { KINDS, runInputs } from '../../fuzz/run-inputs.ts';

const INPUTS = 800;

test('specs, requests and exchanges that nobody meant are answered: no crash, no 500', {
  timeout: 300_000,
}, async () => {
  const root = resolve(import.meta.dirname, '../..');
  const { counts, failures } = await runInputs({ seed: 1, from: 0, inputs: INPUTS, root, begin: () => {} });
  expect(failures).toEqual([]);
  // Every kind took part.
  for (const kind of KINDS) expect(counts[kind], kind).toBeGreaterThan(INPUTS / 20);
});
