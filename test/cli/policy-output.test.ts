import { describe, expect, test } from 'vitest';
import { jsonRenderer } from '../../src/cli/output/json-renderer.ts';
import { quietRenderer } from '../../src/cli/output/quiet-renderer.ts';
import type { RunResult } from '../../src/cli/output/renderer.ts';
import { tableRenderer } from '../../src/cli/output/table-renderer.ts';
import { collectRunResult } from '../../src/cli/run/run-result.ts';
import type { Engine, JobQuery, ResetResult } from '../../src/core/engine.ts';
import { HoldfastError } from '../../src/core/errors.ts';
import { outcome } from '../../src/core/outcome.ts';
import type { AttemptRecord, Explanation } from '../../src/core/records.ts';
import { DEFAULT_JOB_CONFIG } from '../../src/core/workflow-model.ts';
import { attempt, counts, job, status, textStyle } from './records.ts';

const table = tableRenderer(textStyle());

const reset: ResetResult = {
  run_id: 2,
  jobs: [
    { id: 4, name: 'train', status: 'pending_failed' },
    { id: 5, name: 'evil\x1b[2J', status: 'canceled' },
  ],
};
const facts = { workflowId: 3, dryRun: false, next: 'holdfast run 3' };

describe('a reset', () => {
  test('names the jobs with the status they had, the new run and the next command', () => {
    expect(table.reset(reset, facts).split('\n')).toEqual([
      'workflow 3: reset 2 jobs and began run 2',
      '  pending_failed  train',
      '  canceled        evil␛[2J',
      'next: holdfast run 3',
    ]);
  });

  test('that was only tried says so', () => {
    const tried = { workflowId: 3, dryRun: true, next: 'holdfast reset-status 3' };
    expect(table.reset({ ...reset, jobs: reset.jobs.slice(0, 1) }, tried).split('\n')).toEqual([
      'workflow 3: would reset 1 job and begin run 2',
      '  pending_failed  train',
      'next: holdfast reset-status 3',
    ]);
    expect(JSON.parse(jsonRenderer.reset(reset, tried))).toEqual({ workflow_id: 3, dry_run: true, ...reset });
  });

  test('of nothing leads nowhere', () => {
    expect(table.reset({ run_id: 1, jobs: [] }, facts)).toBe('workflow 3: there is nothing to reset');
    expect(quietRenderer.reset({ run_id: 1, jobs: [] }, facts)).toBe('');
  });

  test('of many jobs shows the first ones and how many more there are', () => {
    const jobs = Array.from({ length: 30 }, (_, index) => ({
      id: index,
      name: `job_${index}`,
      status: 'failed' as const,
    }));
    const lines = table.reset({ run_id: 2, jobs }, facts).split('\n');
    expect(lines.slice(-3)).toEqual(['  failed  job_19', '  and 10 more', 'next: holdfast run 3']);
    expect(quietRenderer.reset({ run_id: 2, jobs }, facts).split('\n')).toHaveLength(30);
  });
});

describe('a manual retry', () => {
  const retried = job({ status: 'ready', attempt_id: 2 });

  test('names the attempt that comes and the command that makes it, unless a process does', () => {
    expect(table.manualRetry(retried, 'holdfast run 3').split('\n')).toEqual([
      'workflow 3: job train_1 is ready for attempt 3 of run 1',
      'next: holdfast run 3',
    ]);
    expect(table.manualRetry(retried, null)).toBe('workflow 3: job train_1 is ready for attempt 3 of run 1');
  });

  test('is the job for programs', () => {
    expect(JSON.parse(jsonRenderer.manualRetry(retried, null))).toEqual(retried);
    expect(quietRenderer.manualRetry(retried, null)).toBe('7');
  });
});

describe('an explanation', () => {
  const lines = (given: Partial<AttemptRecord>): string[] => {
    const explanation: Explanation = {
      job: {
        ...job(),
        config: { ...DEFAULT_JOB_CONFIG, command: 'true' },
        requirement: { name: null, cpus: null, memoryBytes: null, gpus: 0, nodes: 1, resources: {} },
        depends_on: [],
      },
      headline: 'completed in attempt 2',
      next: 'nothing',
      hint: null,
      attempts: [{ attempt: attempt(given), walk: [] }],
    };
    return table.explanation(explanation).split('\n');
  };

  test('tells what became of the failure handler and of its recovery script, with the log', () => {
    const told = lines({ handler_outcome: 'Retried', recovery: outcome({ exitCode: 9 }) });
    expect(told).toContain('    failure handler: Retried');
    expect(told).toContain('    recovery script: exit 9 (output/job_stdio/job_wf3_j7_r1_a1.recovery.e)');
  });

  test('says nothing of handlers and scripts that are not there', () => {
    const told = lines({ handler_outcome: 'NoHandler' }).join('\n');
    expect(told).not.toMatch(/failure handler|recovery script/);
  });
});

describe('the end of a run in which a job waits for a decision', () => {
  const waiting = status({
    complete: false,
    exit_code: 3,
    counts: counts({ completed: 1, failed: 12, pending_failed: 1, blocked: 3 }),
  });

  test('shows that job before failed ones, and how to decide', async () => {
    const undecided = job({ id: 99, name: 'odd', status: 'pending_failed' });
    const broken = Array.from({ length: 12 }, (_, id) => job({ id, name: `bad_${id}`, status: 'failed' }));
    const engine = {
      listJobs: async (_: number, { statuses = [], limit }: JobQuery) => ({
        items: [...broken, undecided].filter((each) => statuses.includes(each.status)).slice(0, limit),
        next: null,
      }),
      listAttempts: async () => ({ items: [attempt({ reason: 'somebody has to decide' })], next: null }),
      readLog: async () => {
        throw new HoldfastError('NO_LOG', { stream: 'stderr', attempt: 1, job: 'odd' });
      },
    } as unknown as Engine;
    const context = {
      command: (...words: (string | number)[]) => ['holdfast', ...words].join(' '),
      settings: { output: 'table' },
    } as unknown as Parameters<typeof collectRunResult>[2];
    const result: RunResult = await collectRunResult(engine, waiting, context, {
      routed: false,
      asksCode: false,
      debug: false,
    });
    expect(result.failed.map((each) => each.job.name)).toEqual([
      'odd',
      ...broken.slice(0, 9).map(({ name }) => name),
    ]);
    const text = table.runResult(result);
    expect(text).toMatch(/^workflow 3 nightly, run 1: waiting for a decision/);
    expect(text).toContain('pending_failed odd: exit 1 - somebody has to decide');
    expect(text).toContain('and 3 more: holdfast jobs 3 --status pending_failed,failed');
    expect(text.split('\n').slice(-4)).toEqual([
      'next: 1 job waits for a decision',
      '  holdfast failures 3  what failed, and how',
      '  holdfast resolve 3   try again or give up',
      '  holdfast run 3       go on after that',
    ]);
  });
});
