import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkWorkflow, type WorkflowFacts } from '../../chaos/check-workflow.ts';
import type { Plan } from '../../chaos/plans.ts';

const plan: Plan = {
  name: 'plan',
  spec: {},
  jobs: { a: { status: 'completed', codes: [7], repeats: false } },
  answers: {},
  exitCode: 0,
};

type Attempt = WorkflowFacts['attempts'][number];

function attempt(attempt_id: number, state: string, more: Partial<Attempt> = {}): Attempt {
  return {
    ...{
      job_id: 1,
      job_name: 'a',
      run_id: 1,
      visit: 1,
      attempt_id,
      state,
      exit_code: state === 'SUCCEEDED' ? 0 : null,
    },
    ...{ finished_at_ms: 1, reason: null, error: null, ...more },
  };
}

function check(lines: string[], attempts: Attempt[], more: Partial<WorkflowFacts> = {}): string[] {
  const ledger = mkdtempSync(join(tmpdir(), 'holdfast-ledger-'));
  writeFileSync(join(ledger, '1-1'), lines.map((line) => `${line}\n`).join(''));
  const failure_count = attempts.filter(({ state }) => state === 'FAILED').length;
  const job = { id: 1, run_id: 1, name: 'a', status: 'completed', failure_count, preemption_count: 0 };
  const events = attempts.map((each, index) => ({
    ...{
      id: index + 1,
      type: 'completed',
      job_id: 1,
      run_id: each.run_id,
      attempt_id: each.attempt_id,
      at_ms: 1,
    },
  }));
  const facts = { workflowId: 1, jobs: [job], attempts, events, exitCode: 0, ledger, ...more };
  return checkWorkflow(facts, plan).violations;
}

const RAN = ['start 1 1 -', 'end 1 1 0'];
const DONE = attempt(1, 'SUCCEEDED');
const AGAIN = ['start 1 2 -', 'end 1 2 0'];

describe('the checks of a campaign find', () => {
  test('nothing in a job that ran once', () => {
    expect(check(RAN, [DONE])).toEqual([]);
  });

  test('nothing in a job that was lost once and failed once', () => {
    const lines = ['start 1 1 -', 'start 1 2 -', 'end 1 2 7', 'start 1 3 -', 'end 1 3 0'];
    const attempts = [
      attempt(1, 'WORKER_FAILED'),
      attempt(2, 'FAILED', { exit_code: 7 }),
      attempt(3, 'SUCCEEDED'),
    ];
    expect(check(lines, attempts)).toEqual([]);
  });

  test.each<[string, string, string[], Attempt[], Partial<WorkflowFacts>]>([
    ['a job that is gone', 'is lost', RAN, [], { jobs: [] }],
    ['two that were alive at once', 'alive at the same time', [...RAN, 'overlap 1 1 -'], [DONE], {}],
    ['an attempt that was started twice', 'started twice', [...RAN, 'start 1 1 -'], [DONE], {}],
    ['an attempt that is not recorded', 'is not recorded', [...RAN, ...AGAIN], [DONE], {}],
    [
      'a success that was run again',
      'succeeded 2 times',
      [...RAN, ...AGAIN],
      [DONE, attempt(2, 'SUCCEEDED')],
      {},
    ],
    ['a success that did not happen', 'did not come to its end', ['start 1 1 -'], [DONE], {}],
    [
      'a failure that did not come from the job',
      'did not come from the job',
      ['start 1 1 -', ...AGAIN],
      [attempt(1, 'FAILED', { exit_code: 9 }), attempt(2, 'SUCCEEDED')],
      {},
    ],
    [
      'an attempt that is open',
      'is still open',
      RAN,
      [attempt(1, 'SUCCEEDED', { finished_at_ms: null })],
      {},
    ],
    ['a number that is missing', 'attempts of run 1 are 2', AGAIN, [attempt(2, 'SUCCEEDED')], {}],
    ['a wrong exit code', 'exit code 1, not 0', RAN, [DONE], { exitCode: 1 }],
    [
      'events out of order',
      'comes after',
      RAN,
      [DONE],
      {
        events: [2, 1].map((id) => ({
          id,
          type: 'note',
          job_id: null,
          run_id: 1,
          attempt_id: null,
          at_ms: 1,
        })),
      },
    ],
    [
      'an attempt that was closed twice',
      'closed twice',
      RAN,
      [DONE],
      { events: [1, 2].map((id) => ({ id, type: 'retry', job_id: 1, run_id: 1, attempt_id: 1, at_ms: 1 })) },
    ],
    [
      'a recovery script that ran twice',
      'recovery script ran twice',
      [...RAN, 'recovery 1 1 -', 'recovery 1 1 -'],
      [DONE],
      {},
    ],
  ])('%s', (_, words, lines, attempts, more) => {
    expect(check(lines, attempts, more).join('\n')).toContain(words);
  });
});
