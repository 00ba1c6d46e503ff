import type { EvaluationInputs } from '../src/core/job/evaluation.ts';
import { Sandbox } from '../src/sandbox/sandbox.ts';
import { HOSTILE } from '../test/sandbox/hostile-codes.ts';
import { type BenchLine, median } from './measure.ts';

const ROUNDS = 500;
const STARTS = 5;
const HANGS = '[].indexOf.call({ length: 2 ** 53 - 1 }, 1)';
const USUAL = "if (error.stderr.includes('module not found')) return 'setup-env';\nreturn null;";

const INPUTS: EvaluationInputs = {
  step: { id: 'unit-tests', tags: [], group: null },
  attempt: 1,
  loop: 0,
  error: { message: 'exit 1', code: 1, exitCode: 1, stdout: 'x'.repeat(8192), stderr: 'y'.repeat(8192) },
  foreach: null,
  outputs: {},
  failures: {},
  variables: {},
  outputs_history: {},
  output: null,
  pr: null,
  files: null,
  env: {},
};

/** What an evaluation costs, and whether hostile code can be felt in the thread that decides. */
export async function benchSandbox(): Promise<BenchLine[]> {
  const first: number[] = [];
  const warm: number[] = [];
  const next: number[] = [];
  for (let start = 0; start < STARTS; start += 1) {
    const sandbox = new Sandbox();
    first.push(await milliseconds(sandbox, USUAL));
    for (let round = 0; round < ROUNDS; round += 1) warm.push(await milliseconds(sandbox, USUAL));
    await evaluate(sandbox, HANGS);
    next.push(await milliseconds(sandbox, USUAL));
    await sandbox.stop();
  }
  const gaps = await heartbeatGaps();
  return [
    {
      name: 'an evaluation in the sandbox, warm',
      value: median(warm),
      unit: 'ms',
      ratio: null,
      against: `the first one: ${median(first).toFixed(0)} ms`,
      aim: '< 2 ms',
      met: median(warm) < 2,
    },
    {
      name: 'an evaluation after a terminated one',
      value: median(next),
      unit: 'ms',
      ratio: null,
      against: '',
      aim: '',
      met: null,
    },
    ...gaps.map(({ name, gap, codes }) => ({
      name: `longest gap of a heartbeat during ${name}`,
      value: gap,
      unit: 'ms',
      ratio: null,
      against: `${codes} pieces of code`,
      aim: '< 50 ms',
      met: gap < 50,
    })),
  ];
}

function evaluate(sandbox: Sandbox, code: string) {
  return sandbox.evaluate(code, 'body', INPUTS, { now: 0, seed: 0 });
}

async function milliseconds(sandbox: Sandbox, code: string): Promise<number> {
  const start = performance.now();
  await evaluate(sandbox, code);
  return performance.now() - start;
}

async function heartbeatGaps(): Promise<{ name: string; gap: number; codes: number }[]> {
  const sandbox = new Sandbox();
  await evaluate(sandbox, USUAL);
  const gaps: { name: string; gap: number; codes: number }[] = [];
  for (const [name, codes] of Object.entries(HOSTILE)) {
    let gap = 0;
    let last = performance.now();
    const beat = () => {
      const now = performance.now();
      gap = Math.max(gap, now - last);
      last = now;
    };
    const heart = setInterval(beat, 1);
    for (const code of codes) await evaluate(sandbox, code);
    beat();
    clearInterval(heart);
    gaps.push({ name, gap, codes: codes.length });
  }
  await sandbox.stop();
  return gaps;
}
