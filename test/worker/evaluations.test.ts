import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EvaluationOrder } from '../../src/contract/records/errand.ts';
import type { Claim, Exchange } from '../../src/contract/records/exchange.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { DEFAULT_POST_CODES } from '../../src/core/job/post-result.ts';
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
  return ({ finished, errands }: Exchange, { dir }: World): Answer | null => {
    if (!claimed) {
      claimed = true;
      return { claims: [claim(dir)] };
    }
    if (finished.length + errands.length === 0) return {};
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

  test('that holds is reported with the end of the attempt', async () => {
    const { dir, said, end } = workerWith(answering((cwd) => conditional('attempt', cwd), []));
    await end;
    const [report] = said.flatMap(({ finished }) => finished);
    expect(report).toMatchObject({
      outcome: outcome({ exit_code: 0 }),
      evaluations: [{ key: 'if', result: { ok: true, value: true } }],
    });
    expect(report!.started_at_ms).toBeGreaterThan(0);
    expect(existsSync(join(dir, 'ran'))).toBe(true);
  });

  test('that cannot be evaluated is a failure to start', async () => {
    const { said, end } = workerWith(answering((cwd) => conditional('nothing.at.all', cwd), []));
    await end;
    const [report] = said.flatMap(({ finished }) => finished);
    expect(report!.outcome.spawn_error).toMatch(/^`if` cannot be evaluated: .*nothing/);
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
        post: { kind: 'command', command: 'exit 7', timeout_ms: 9000, ...DEFAULT_POST_CODES, items: [] },
      },
    });
  const error = { message: 'lint broke', code: 3, exitCode: 3, stdout: '', stderr: '' };
  const order = (given: Partial<EvaluationOrder>) => orderOf({ inputs: inputsOf({ error }), ...given });

  test('sees the ends of the logs, before and after the post script; each errand is reported by itself', async () => {
    const { said, end } = workerWith(
      answering(failing, [
        { errands: [order({ codes: [{ key: 'fail_if', code: 'error.stdout' }] })] },
        { errands: [{ kind: 'post', id: 6, token: 1, failures_before: 0, rulebook: null }] },
        {
          errands: [
            order({
              id: 7,
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
    expect(said.map(({ finished, errands }) => [finished.length, errands.map(({ id }) => id)])).toEqual([
      [1, []],
      [0, [5]],
      [0, [6]],
      [0, [7]],
    ]);
    const reports = said.flatMap(({ errands }) => errands);
    const seen = { error: { message: 'lint broke', code: 3, exitCode: 3 } };
    expect(reports).toMatchObject([
      {
        kind: 'evaluation',
        evaluations: [{ key: 'fail_if', result: { ok: true, value: true }, inputs: seen }],
      },
      { kind: 'post', post: { exit_code: 7 } },
      {
        kind: 'evaluation',
        evaluations: [
          { key: 'run_js', result: { ok: true, value: ['lint broke'] } },
          { key: 'goto_js', result: { ok: true, value: null } },
        ],
      },
    ]);
  });

  test('is still evaluated when the worker is being stopped', async () => {
    const script = answering(
      (cwd) => claimOf({ cwd }),
      [{ errands: [orderOf({ codes: [{ key: 'run_js', code: '["x"]' }] })] }],
    );
    const { said, end } = workerWith((exchange, world) => {
      const answer = script(exchange, world);
      if (answer?.errands) world.worker.stop();
      return answer;
    });
    expect(await end).toBe('stopped');
    expect(said.flatMap(({ errands }) => errands)).toMatchObject([
      { kind: 'evaluation', id: 5, evaluations: [{ key: 'run_js' }] },
    ]);
  });

  test('is given up when the worker is killed, and reported as stopped with it', async () => {
    const script = answering(
      (cwd) => claimOf({ cwd }),
      [{ errands: [orderOf({ codes: [{ key: 'run_js', code: '["x"]' }] })] }],
    );
    const { said, end } = workerWith((exchange, world) => {
      const answer = script(exchange, world);
      if (answer?.errands) world.worker.kill();
      return answer;
    });
    await end;
    expect(said.flatMap(({ errands }) => errands)).toEqual([
      { kind: 'evaluation', id: 5, evaluations: null },
    ]);
  });

  test('about an attempt that a dead worker left behind sees its logs, and its recovery script is not run', async () => {
    let ordered = false;
    const script = { kind: 'recovery', id: 8, token: 77, script: 'exit 0', return_code: 3 } as const;
    const { said, end } = workerWith(({ errands: [report] }, { dir }) => {
      if (report?.kind === 'recovery') return null;
      if (report !== undefined) return { errands: [{ ...script, timeout_ms: 60_000 }] };
      if (ordered) return {};
      ordered = true;
      writeFileSync(join(dir, 'its.e'), `${'x'.repeat(9000)}é lint broke`);
      const logs = { stdout: join(dir, 'its.o'), stderr: join(dir, 'its.e') };
      const code = 'return [error.stdout, error.stderr.length, error.stderr.slice(-10)]';
      return { errands: [order({ token: 77, logs, codes: [{ key: 'run_js', code }] })] };
    });
    expect(await end).toBe('complete');
    expect(said.map(({ errands }) => errands)).toMatchObject([
      [{ evaluations: [{ result: { ok: true, value: ['', 8191, 'lint broke'] } }] }],
      [{ kind: 'recovery', id: 8, outcome: outcome({ lost: true }) }],
    ]);
  });

  test('about an earlier attempt is answered once, however often it is asked', async () => {
    const route = orderOf({ token: 77, codes: [{ key: 'goto_js', code: "'build'" }] });
    let exchanges = 0;
    const { said, end } = workerWith(({ errands }, { change }) => {
      exchanges += 1;
      if (errands.length > 0) return null;
      if (exchanges === 1) setImmediate(change);
      return exchanges <= 2 ? { errands: [route] } : {};
    });
    await end;
    expect(exchanges).toBeGreaterThan(2);
    expect(said.map(({ errands }) => errands)).toMatchObject([
      [{ id: 5, evaluations: [{ key: 'goto_js', result: { ok: true, value: 'build' } }] }],
    ]);
  });
});
