import { describe, expect, test } from 'vitest';
import { type RecoverySummary, recoveryView } from '../../src/cli/texts/recovery-text.ts';
import type { DecisionRecord, RecoverResult } from '../../src/contract/records/resolution.ts';
import { json, quiet, table } from './printed.ts';

const GIB = 1024 ** 3;

const NOTHING: RecoverResult = {
  dry_run: false,
  mode: 'nothing',
  run_id: 1,
  complete: true,
  retried: [],
  left: [],
};

const PLAN: RecoverResult = {
  dry_run: false,
  mode: 'new_run',
  run_id: 2,
  complete: true,
  retried: [
    { job_id: 4, name: 'train', why: 'oom', memory_bytes: { from: 2 * GIB, to: 3 * GIB }, runtime_ms: null },
    {
      job_id: 7,
      name: 'solve',
      why: 'timeout',
      memory_bytes: null,
      runtime_ms: { from: 60_000, to: 90_000 },
    },
  ],
  left: [{ job_id: 9, name: 'plot', status: 'failed', why: 'it has as much as it may be given' }],
};

const DECISION: DecisionRecord = {
  id: 1,
  workflow_id: 3,
  run_id: 1,
  job_id: 5,
  job_name: 'fetch',
  attempt_id: 1,
  action: 'retry',
  actor: 'agent:claude',
  reason: 'the store was \x1b[2Jdown',
  confidence: 0.8,
  fingerprint: null,
  memory_bytes: null,
  runtime_ms: null,
  decided_at_ms: 0,
  became: 'open',
};

function report(given: Partial<RecoverySummary>): RecoverySummary {
  return { workflowId: 3, result: NOTHING, agent: null, wouldAsk: 0, next: null, ...given };
}

describe('what was recovered', () => {
  test('is a table of what is tried again with what, and of what is left and why', () => {
    expect(
      table(recoveryView, report({ result: PLAN, next: { kind: 'run', workflow: 3 } })).split('\n'),
    ).toEqual([
      'workflow 3: began run 2 with 2 jobs to try again',
      '  JOB    WHY            MEMORY   RUNTIME',
      '  train  out of memory  2g → 3g  -',
      '  solve  timed out      -        1m00s → 1m30s',
      '1 job left as it is:',
      '  JOB   STATUS  WHY',
      '  plot  failed  it has as much as it may be given',
      'next: holdfast run 3',
    ]);
  });

  test.for([
    ['new_run', true, 'would begin run 2 with 2 jobs to try again'],
    ['resolve', true, 'would try 2 jobs again in run 2'],
    ['resolve', false, 'tries 2 jobs again in run 2'],
  ] as const)('%s, dry run %s: %s', ([mode, dry_run, headline]) => {
    expect(table(recoveryView, report({ result: { ...PLAN, mode, dry_run } }))).toContain(headline);
  });

  test('says if there was nothing to recover', () => {
    expect(table(recoveryView, report({}))).toBe('workflow 3: nothing failed');
    const { left } = PLAN;
    const result = { ...PLAN, mode: 'nothing' as const, retried: [], left };
    expect(table(recoveryView, report({ result }))).toMatch(
      /^workflow 3: no job that failed can be recovered\n/,
    );
    expect(table(recoveryView, report({ result: { ...result, complete: false } }))).toMatch(
      /^workflow 3: run 2 is not complete, nothing was changed\n/,
    );
  });

  test('shows what an agent decided, and nothing of it reaches the terminal raw', () => {
    const agent = {
      agent: 'claude',
      end: 'exit 0 after 12s',
      succeeded: true,
      interrupted: false,
      output: [],
      decisions: [DECISION],
      left: 2,
    };
    expect(table(recoveryView, report({ agent })).split('\n').slice(1)).toEqual([
      'agent claude: exit 0 after 12s; 1 decision, 2 jobs still wait for one',
      '  JOB    DECISION  CONFIDENCE  REASON',
      '  fetch  retry            0.8  the store was ␛[2Jdown',
    ]);
  });

  test('shows what an agent printed that did not succeed', () => {
    const agent = {
      agent: 'mine',
      end: 'exit 1 after 2s',
      succeeded: false,
      interrupted: false,
      output: ['not logged in'],
      decisions: [],
      left: 1,
    };
    expect(table(recoveryView, report({ agent })).split('\n').slice(1)).toEqual([
      'agent mine: exit 1 after 2s; 0 decisions, 1 job still waits for one',
      'the last lines that it printed:',
      '  not logged in',
    ]);
  });

  test('is cut where there are very many', () => {
    const [first] = PLAN.retried;
    const many = { ...PLAN, retried: Array.from({ length: 50 }, () => first!) };
    const lines = table(recoveryView, report({ result: many })).split('\n');
    expect(lines).toContain('  and 30 more');
    expect(lines.length).toBeLessThan(30);
  });

  test('is the records as JSON, and the jobs that are tried again for programs', () => {
    expect(json(recoveryView, report({ result: PLAN }))).toEqual({
      workflow_id: 3,
      ...PLAN,
      agent: null,
      would_ask: 0,
    });
    expect(quiet(recoveryView, report({ result: PLAN }))).toBe('4\n7');
  });
});
