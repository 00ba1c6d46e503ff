import { afterAll, expect, test } from 'vitest';
import type { EvaluationOrder } from '../../src/contract/records/errand.ts';
import type { CodeKey, Evaluation } from '../../src/core/job/evaluation.ts';
import { CodeEvaluator } from '../../src/worker/execute/code-evaluator.ts';
import { inputsOf, orderOf } from './claims.ts';

const ENV = { CI: 'yes', API_TOKEN: 'hunter22', UNASKED: 'x', SHADOWED: 'of the process' };

const evaluator = new CodeEvaluator(ENV);
afterAll(() => evaluator.stop());

async function evaluated(
  key: CodeKey,
  code: string,
  { now = 1000, ...given }: Partial<EvaluationOrder> & { now?: number } = {},
): Promise<Evaluation> {
  const order = orderOf({ codes: [{ key, code }], ...given });
  const [evaluation] = await evaluator.evaluate(order, { now, tails: null });
  return evaluation!;
}

test('only the variables that were asked for are seen, and those of the job go first', async () => {
  const order = { env: ['CI', 'SHADOWED', 'MISSING'], inputs: inputsOf({ env: { SHADOWED: 'of the job' } }) };
  const { result, inputs } = await evaluated('goto_js', 'return Object.entries(env).sort().join(" ")', order);
  expect(result).toEqual({ ok: true, value: 'CI,yes SHADOWED,of the job' });
  expect(inputs.env).toEqual({ CI: 'yes', SHADOWED: 'of the job' });
});

test('code sees a secret, and nothing that is stored does', async () => {
  const error = { message: 'no access with hunter22', code: 1, exitCode: 1, stdout: '', stderr: '' };
  const order = { env: ['API_TOKEN'], inputs: inputsOf({ error }) };
  const seen = await evaluated('if', 'env.API_TOKEN === "hunter22"', order);
  expect(seen.result).toEqual({ ok: true, value: true });
  expect(seen.inputs).toMatchObject({ env: { API_TOKEN: '***' }, error: { message: 'no access with ***' } });

  const thrown = await evaluated('goto_js', 'throw new Error("with " + env.API_TOKEN)', order);
  const returned = await evaluated('run_js', 'return ["fix-" + env.API_TOKEN]', order);
  expect(JSON.stringify([seen, thrown, returned])).not.toContain('hunter22');
  expect(returned.result).toEqual({
    ok: false,
    problem: 'the result contains the value of API_TOKEN, which is kept secret',
  });
});

test('conditions are reported as true or false, and no result is the same as null', async () => {
  expect((await evaluated('fail_if', '"some text"')).result).toEqual({ ok: true, value: true });
  expect((await evaluated('if', '0')).result).toEqual({ ok: true, value: false });
  expect((await evaluated('goto_js', 'return undefined')).result).toEqual({ ok: true, value: null });
});

test('time is that of the event; chance is the same for the same moment, and another for the next', async () => {
  const draw = async (attempt: number) =>
    (await evaluated('goto_js', 'return Math.random() + ""', { inputs: inputsOf({ attempt }) })).result;
  expect((await evaluated('goto_js', 'return "" + Date.now()', { now: 4711 })).result).toEqual({
    ok: true,
    value: '4711',
  });
  expect(await draw(1)).toEqual(await draw(1));
  expect(await draw(1)).not.toEqual(await draw(2));
});

test.for<[said: { stdout: string; stderr: string }, message: string, seen: string]>([
  [{ stdout: 'out\n', stderr: 'first\nmodule not found\n \n\n' }, 'exit 1', 'module not found'],
  [{ stdout: 'all\nof it  \n', stderr: '\n' }, 'exit 1', 'of it'],
  [{ stdout: '', stderr: '\n' }, 'exit 1', 'exit 1'],
  [{ stdout: '', stderr: 'Aborted' }, 'SIGABRT', 'Aborted'],
  [{ stdout: '', stderr: 'almost there' }, 'timed out', 'timed out'],
  [{ stdout: '', stderr: 'done' }, 'its fail_if is true', 'its fail_if is true'],
])('error.message of %j after "%s" is "%s"', async ([tails, message, seen]) => {
  const error = { message, code: 1, exitCode: 1, stdout: '', stderr: '' };
  const order = orderOf({
    codes: [{ key: 'goto_js', code: 'return error.message' }],
    inputs: inputsOf({ error }),
  });
  const [evaluation] = await evaluator.evaluate(order, { now: 1000, tails });
  expect(evaluation!.result).toEqual({ ok: true, value: seen });
});
