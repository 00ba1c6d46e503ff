import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Claim, EvaluationOrder, Exchange } from '../../src/core/exchange.ts';
import { outcome } from '../../src/core/outcome.ts';
import { claimOf, inputsOf, orderOf } from './claims.ts';
import { type Answer, type World, workerWith } from './scripted-engine.ts';

const conditional = (condition: string, cwd: string): Claim =>
  claimOf({
    cwd,
    config: { command: 'echo ran > ran', condition },
    condition: { inputs: inputsOf({ attempt: 2 }), env: [] },
  });

/** Hands out the claim, then answers each report with the next of the answers; the run is complete after them. */
function answering(claim: (cwd: string) => Claim, answers: Answer[]) {
  let claimed = false;
  return ({ finished, evaluated }: Exchange, { dir }: World): Answer | null => {
    if (!claimed) {
      claimed = true;
      return { claims: [claim(dir)] };
    }
    if (finished.length + evaluated.length === 0) return {};
    return answers.shift() ?? null;
  };
}

describe('the condition of a step', () => {
  test('that is false ends the attempt without a start, and says so', async () => {
    const { dir, said, end } = workerWith(answering((cwd) => conditional('attempt === 1', cwd), []));
    expect(await end).toBe('complete');
    expect(said.flatMap(({ finished }) => finished)).toMatchObject([
      {
        token: 1,
        started_at_ms: null,
        outcome: outcome({}),
        evaluations: [{ key: 'if', result: { ok: true, value: false }, inputs: { attempt: 2, loop: 0 } }],
      },
    ]);
    expect(existsSync(join(dir, 'ran'))).toBe(false);
  });

  test('that holds is told with the end of the attempt', async () => {
    const { dir, said, end } = workerWith(answering((cwd) => conditional('attempt', cwd), []));
    await end;
    const [report] = said.flatMap(({ finished }) => finished);
    expect(report).toMatchObject({
      outcome: outcome({ exitCode: 0 }),
      evaluations: [{ key: 'if', result: { ok: true, value: true } }],
    });
    expect(report!.started_at_ms).toBeGreaterThan(0);
    expect(existsSync(join(dir, 'ran'))).toBe(true);
  });

  test('that cannot be evaluated is a failure to start', async () => {
    const { said, end } = workerWith(answering((cwd) => conditional('nothing.at.all', cwd), []));
    await end;
    const [report] = said.flatMap(({ finished }) => finished);
    expect(report!.outcome.spawnError).toMatch(/^`if` cannot be evaluated: .*nothing/);
    expect(report!.evaluations).toMatchObject([{ key: 'if', result: { ok: false } }]);
  });

  test.each([
    ['stop', { stopped: true }],
    ['cancel', { canceled: true }],
  ] as const)('is not waited for after a %s, and nothing is launched', async (how, facts) => {
    const script = answering((cwd) => conditional('true', cwd), []);
    let exchanges = 0;
    const { dir, said, end } = workerWith((exchange, world) => {
      exchanges += 1;
      // The second exchange comes while the sandbox is still being started.
      if (exchanges === 1) setImmediate(() => (how === 'stop' ? world.worker.stop() : world.change()));
      const answer = script(exchange, world);
      return exchanges === 2 && how === 'cancel' ? { cancel: [1] } : answer;
    });
    await end;
    expect(said.flatMap(({ finished }) => finished)).toMatchObject([
      { started_at_ms: null, outcome: outcome(facts) },
    ]);
    expect(existsSync(join(dir, 'ran'))).toBe(false);
  });
});

describe('code that is asked before a decision', () => {
  const failing = (cwd: string) =>
    claimOf({
      cwd,
      config: {
        command: 'echo before; echo lint broke >&2; exit 3',
        post: { command: 'exit 7', timeoutMs: 9000 },
      },
    });
  const error = { message: 'exit 3', code: 3, exitCode: 3, stdout: '', stderr: '' };
  const order = (given: Partial<EvaluationOrder>) => orderOf({ inputs: inputsOf({ error }), ...given });

  test('sees the ends of the logs; the report comes back with all that was said, the post script included', async () => {
    const { said, end } = workerWith(
      answering(failing, [
        { evaluate: [order({ codes: [{ key: 'fail_if', code: 'error.stdout' }] })] },
        { post: [1] },
        {
          evaluate: [
            order({
              codes: [
                { key: 'run_js', code: 'return [error.stderr.trim()]' },
                { key: 'goto_js', code: 'return error.exitCode === 3 ? null : undefinedName' },
              ],
            }),
          ],
        },
      ]),
    );
    expect(await end).toBe('complete');
    const reports = said.flatMap(({ finished }) => finished);
    expect(reports.map(({ evaluations, post }) => [evaluations?.length ?? 0, post?.exitCode])).toEqual([
      [0, undefined],
      [1, undefined],
      [1, 7],
      [3, 7],
    ]);
    expect(reports[3]).toMatchObject({
      outcome: outcome({ exitCode: 3 }),
      evaluations: [
        { key: 'fail_if', result: { ok: true, value: true } },
        { key: 'run_js', result: { ok: true, value: ['lint broke'] } },
        { key: 'goto_js', result: { ok: true, value: null } },
      ],
    });
    expect(reports[3]!.evaluations![0]!.inputs.error).toEqual({ message: 'exit 3', code: 3, exitCode: 3 });
  });

  test('is still evaluated when the worker is being stopped', async () => {
    const script = answering(
      (cwd) => claimOf({ cwd }),
      [{ evaluate: [orderOf({ codes: [{ key: 'run_js', code: '["x"]' }] })] }],
    );
    const { said, end } = workerWith((exchange, world) => {
      const answer = script(exchange, world);
      if (answer?.evaluate) world.worker.stop();
      return answer;
    });
    expect(await end).toBe('stopped');
    const last = said.flatMap(({ finished }) => finished).at(-1);
    expect(last).toMatchObject({ outcome: outcome({ exitCode: 0 }), evaluations: [{ key: 'run_js' }] });
  });

  test('is given up when the worker is killed: the attempt counts as stopped', async () => {
    const script = answering(
      (cwd) => claimOf({ cwd }),
      [{ evaluate: [orderOf({ codes: [{ key: 'run_js', code: '["x"]' }] })] }],
    );
    const { said, end } = workerWith((exchange, world) => {
      const answer = script(exchange, world);
      if (answer?.evaluate) world.worker.kill();
      return answer;
    });
    await end;
    const last = said.flatMap(({ finished }) => finished).at(-1);
    expect(last!.outcome).toEqual(outcome({ exitCode: 0, stopped: true }));
  });

  test('about an attempt that a dead worker left behind sees its logs, and its recovery script is not run', async () => {
    let ordered = false;
    const { said, end } = workerWith(({ evaluated, recovered: reports }, { dir }) => {
      if (reports.length > 0) return null;
      if (evaluated.length > 0) return { recover: [{ token: 77, script: 'exit 0', return_code: 3 }] };
      if (ordered) return {};
      ordered = true;
      writeFileSync(join(dir, 'its.e'), `${'x'.repeat(9000)}é lint broke`);
      const logs = { stdout: join(dir, 'its.o'), stderr: join(dir, 'its.e') };
      const code = 'return [error.stdout, error.stderr.length, error.stderr.slice(-10)]';
      return { evaluate: [order({ of: 'route', token: 77, logs, codes: [{ key: 'run_js', code }] })] };
    });
    expect(await end).toBe('complete');
    expect(said[0]!.evaluated[0]!.evaluations[0]!.result).toEqual({
      ok: true,
      value: ['', 8191, 'lint broke'],
    });
    expect(said[1]!.recovered).toEqual([{ token: 77, outcome: outcome({ lost: true }) }]);
  });

  test('about an earlier attempt is answered once, however often it is asked', async () => {
    const route = orderOf({ of: 'route', token: 77, codes: [{ key: 'goto_js', code: "'build'" }] });
    let exchanges = 0;
    const { said, end } = workerWith(({ evaluated }, { change }) => {
      exchanges += 1;
      if (evaluated.length > 0) return null;
      if (exchanges === 1) setImmediate(change);
      return exchanges <= 2 ? { evaluate: [route] } : {};
    });
    await end;
    expect(exchanges).toBeGreaterThan(2);
    expect(said.map(({ evaluated }) => evaluated)).toMatchObject([
      [{ token: 77, evaluations: [{ key: 'goto_js', result: { ok: true, value: 'build' } }] }],
    ]);
  });
});
