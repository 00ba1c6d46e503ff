import { describe, expect, test } from 'vitest';
import { jsonRenderer } from '../../src/cli/output/json-renderer.ts';
import { quietRenderer } from '../../src/cli/output/quiet-renderer.ts';
import type { RecoveryReport } from '../../src/cli/output/renderer.ts';
import { tableRenderer } from '../../src/cli/output/table-renderer.ts';
import type { DecisionRecord, RecoverResult } from '../../src/core/resolution.ts';
import { textStyle } from './records.ts';

const GIB = 1024 ** 3;
const table = tableRenderer(textStyle());

const NOTHING: RecoverResult = { dry_run: false, mode: 'nothing', run_id: 1, retried: [], left: [] };

const PLAN: RecoverResult = {
  dry_run: false,
  mode: 'new_run',
  run_id: 2,
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

function report(given: Partial<RecoveryReport>): RecoveryReport {
  return { workflowId: 3, result: NOTHING, agent: null, wouldAsk: 0, next: null, ...given };
}

describe('what was recovered', () => {
  test('is a table of what is tried again with what, and of what is left and why', () => {
    expect(table.recovery(report({ result: PLAN, next: 'holdfast run 3' })).split('\n')).toEqual([
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
    expect(table.recovery(report({ result: { ...PLAN, mode, dry_run } }))).toContain(headline);
  });

  test('says if there was nothing to recover', () => {
    expect(table.recovery(report({}))).toBe(
      'workflow 3: nothing failed for a cause that is known to be mended',
    );
  });

  test('tells what an agent decided, and nothing of it reaches the terminal raw', () => {
    const agent = {
      agent: 'claude',
      end: 'exit 0 after 12s',
      succeeded: true,
      interrupted: false,
      decisions: [DECISION],
      left: 2,
    };
    expect(table.recovery(report({ agent })).split('\n').slice(1)).toEqual([
      'agent claude: exit 0 after 12s; 1 decision, 2 jobs still wait for one',
      '  JOB    DECISION  CONFIDENCE  REASON',
      '  fetch  retry            0.8  the store was ␛[2Jdown',
    ]);
  });

  test('is cut where there are very many', () => {
    const [first] = PLAN.retried;
    const many = { ...PLAN, retried: Array.from({ length: 50 }, () => first!) };
    const lines = table.recovery(report({ result: many })).split('\n');
    expect(lines).toContain('  and 30 more');
    expect(lines.length).toBeLessThan(30);
  });

  test('is the records as JSON, and the jobs that are tried again for programs', () => {
    expect(JSON.parse(jsonRenderer.recovery(report({ result: PLAN })))).toEqual({
      workflow_id: 3,
      ...PLAN,
      agent: null,
      would_ask: 0,
    });
    expect(quietRenderer.recovery(report({ result: PLAN }))).toBe('4\n7');
  });
});
