import { describe, expect, test } from 'vitest';
import { collectRunResult } from '../../src/cli/run/run-result.ts';
import { explanationView } from '../../src/cli/texts/explanation-text.ts';
import { resetView } from '../../src/cli/texts/reset-text.ts';
import { retryView, type ShownRetry } from '../../src/cli/texts/retry-text.ts';
import { runResultView } from '../../src/cli/texts/run-result-text.ts';
import type { Engine, ResetResult } from '../../src/contract/engine.ts';
import type { AttemptRecord, JobRecord } from '../../src/contract/records/records.ts';
import type { FailureGroup } from '../../src/contract/records/resolution.ts';
import { HoldfastError } from '../../src/core/errors.ts';
import type { JobStatus } from '../../src/core/job/job-status.ts';
import type { Cause } from '../../src/core/job/outcome.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { DEFAULT_JOB_CONFIG, NO_REQUIREMENT } from '../../src/core/model/workflow-model.ts';
import type { ExplainedJob } from '../../src/views/explanation.ts';
import { FAILURE_STATUSES } from '../../src/views/run-result.ts';
import { failedJob, group } from './decision-records.ts';
import { json, quiet, table } from './printed.ts';
import { shownExplanation } from './printed-records.ts';
import { attempt, counts, job, status } from './records.ts';

const reset: ResetResult = {
  run_id: 2,
  jobs: [
    { id: 4, name: 'train', status: 'pending_failed' },
    { id: 5, name: 'evil\x1b[2J', status: 'canceled' },
  ],
};
const facts = { workflow_id: 3, dry_run: false, next: { kind: 'run', workflow: 3 } } as const;

describe('a reset', () => {
  test('names the jobs with the status they had, the new run and the next command', () => {
    expect(table(resetView, { ...reset, ...facts }).split('\n')).toEqual([
      'workflow 3: reset 2 jobs and began run 2',
      '  pending_failed  train',
      '  canceled        evil␛[2J',
      'next: holdfast run 3',
    ]);
  });

  test('that was only tried says so', () => {
    const next = { kind: 'reset', workflow: 3, failed_only: false } as const;
    const tried = { workflow_id: 3, dry_run: true, next };
    expect(table(resetView, { ...reset, jobs: reset.jobs.slice(0, 1), ...tried }).split('\n')).toEqual([
      'workflow 3: would reset 1 job and begin run 2',
      '  pending_failed  train',
      'next: holdfast reset-status 3',
    ]);
    expect(json(resetView, { ...reset, ...tried })).toEqual({ workflow_id: 3, dry_run: true, ...reset });
  });

  test('of nothing leads nowhere', () => {
    expect(table(resetView, { run_id: 1, jobs: [], ...facts })).toBe('workflow 3: there is nothing to reset');
    expect(quiet(resetView, { run_id: 1, jobs: [], ...facts })).toBe('');
  });

  test('of many jobs shows the first ones and how many more there are', () => {
    const jobs = Array.from({ length: 30 }, (_, index) => ({
      id: index,
      name: `job_${index}`,
      status: 'failed' as const,
    }));
    const lines = table(resetView, { run_id: 2, jobs, ...facts }).split('\n');
    expect(lines.slice(-3)).toEqual(['  failed  job_19', '  and 10 more', 'next: holdfast run 3']);
    expect(quiet(resetView, { run_id: 2, jobs, ...facts }).split('\n')).toHaveLength(30);
  });
});

describe('a manual retry', () => {
  const retried = (change: Partial<ShownRetry> = {}): ShownRetry => ({
    workflow_id: 3,
    dry_run: false,
    mode: 'retry',
    run_id: 1,
    jobs: [{ id: 7, name: 'train_1', status: 'failed', attempt_id: 2 }],
    revived: [],
    next: null,
    ...change,
  });
  const two: ShownRetry['jobs'] = [
    { id: 7, name: 'train_1', status: 'failed', attempt_id: 2 },
    { id: 8, name: 'train_2', status: 'terminated', attempt_id: 3 },
  ];

  test('names the attempt that comes and the command that makes it, unless a process does', () => {
    expect(table(retryView, retried({ next: { kind: 'run', workflow: 3 } })).split('\n')).toEqual([
      'workflow 3: job train_1 is queued for attempt 2 of run 1',
      'next: holdfast run 3',
    ]);
    expect(table(retryView, retried())).toBe('workflow 3: job train_1 is queued for attempt 2 of run 1');
  });

  test('says that the attempt of a running job is ended first', () => {
    const running = { id: 7, name: 'train_1', status: 'running', attempt_id: 2 } as const;
    expect(table(retryView, retried({ jobs: [running] }))).toBe(
      'workflow 3: job train_1 is retried when attempt 1 of run 1 has been ended',
    );
  });

  test('of several jobs lists them with the statuses they had, and counts what waits for them again', () => {
    expect(table(retryView, retried({ jobs: two, revived: [9] })).split('\n')).toEqual([
      'workflow 3: retried 2 jobs in run 1',
      '  failed      train_1',
      '  terminated  train_2',
      '  and 1 job that was canceled because of them',
    ]);
    const started = retried({ mode: 'new_run', run_id: 2, jobs: two, dry_run: true });
    expect(table(retryView, started)).toContain('workflow 3: would start 2 jobs over in a new run, 2\n');
    expect(table(retryView, retried({ mode: 'again', jobs: two }))).toContain(
      'started 2 jobs over in run 1\n',
    );
    expect(table(retryView, retried({ mode: 'nothing', jobs: [] }))).toBe(
      'workflow 3: there is nothing to retry in this selection',
    );
  });

  test('is the same for programs, however many jobs there are', () => {
    const { next, ...facts } = retried({ jobs: two });
    expect(json(retryView, { ...facts, next })).toEqual(facts);
    expect(quiet(retryView, retried({ jobs: two }))).toBe('7\n8');
  });
});

describe('an explanation', () => {
  const lines = (given: Partial<AttemptRecord>): string[] => {
    const explanation: ExplainedJob = {
      decisions: [],
      job: {
        ...job(),
        config: { ...DEFAULT_JOB_CONFIG, command: 'true' },
        requirement: NO_REQUIREMENT,
        depends_on: [],
      },
      waits: [],
      headline: 'completed in attempt 2',
      next: 'nothing',
      hint: null,
      attempts: [{ attempt: attempt(given), walk: [] }],
    };
    return table(explanationView, shownExplanation(explanation)).split('\n');
  };

  test('shows how the failure handler and its recovery script ended, with the log', () => {
    const reported = lines({ handler_outcome: 'Retried', recovery: outcome({ exit_code: 9 }) });
    expect(reported).toContain('    failure handler: Retried');
    expect(reported).toContain('    recovery script: exit 9 (output/job_stdio/job_wf3_j7_r1_a1.recovery.e)');
  });

  test('says nothing of handlers and scripts that are not there', () => {
    const reported = lines({ handler_outcome: 'NoHandler' }).join('\n');
    expect(reported).not.toMatch(/failure handler|recovery script/);
  });
});

/** Failures that look alike. */
const groupOf = (jobs: JobRecord[]) =>
  group({
    fingerprint: `print ${jobs[0]!.id}`,
    jobs: jobs.map(({ id, name, status }) => failedJob({ job_id: id, name, status })),
  });

/** What an engine reads of these groups. */
function failureReads(kinds: JobRecord[][]): Pick<Engine, 'summarizeFailures' | 'listFailures'> {
  const groups = kinds.map(groupOf);
  const some = ({ jobs, ...alike }: FailureGroup, statuses: readonly JobStatus[] = FAILURE_STATUSES) => ({
    ...alike,
    jobs: jobs.filter(({ status }) => statuses.includes(status)),
  });
  return {
    summarizeFailures: async (_, query = {}) => ({
      groups: groups
        .map((each) => some(each, query.status))
        .filter(({ jobs }) => jobs.length > 0)
        .map(({ jobs, ...alike }) => ({
          ...alike,
          jobs: jobs.length,
          waiting: jobs.filter(({ status }) => status === 'pending_failed').length,
          sample: jobs.at(-1)!,
        })),
      more: false,
    }),
    listFailures: async (_, query = {}) =>
      groups
        .filter(({ fingerprint }) => fingerprint === query.fingerprint)
        .map((each) => some(each, query.status)),
  };
}

describe('the end of a run in which a job waits for a decision', () => {
  const waiting = status({
    complete: false,
    exit_code: 3,
    counts: counts({ completed: 1, failed: 12, pending_failed: 1, blocked: 3 }),
  });

  test('shows that job before failed ones, which are grouped, and how to decide', async () => {
    const undecided = job({ id: 99, name: 'odd', status: 'pending_failed' });
    const broken = Array.from({ length: 12 }, (_, id) => job({ id, name: `bad_${id}`, status: 'failed' }));
    const kinds = [broken.slice(0, 7), ...broken.slice(7).map((each) => [each]), [undecided]];
    const engine = {
      ...failureReads(kinds),
      listJobs: async () => ({ items: [], next: null }),
      getJob: async (_: number, id: number) => [...broken, undecided].find((each) => each.id === id),
      listAttempts: async () => ({ items: [attempt({ reason: 'waiting for a decision' })], next: null }),
      readLog: async () => {
        throw new HoldfastError('NO_LOG', { stream: 'stderr', attempt: 1, job: 'odd' });
      },
    } as unknown as Engine;
    const result = await collectRunResult(engine, waiting, 'table', {
      routed: false,
      asksCode: false,
      debug: false,
    });
    expect(result.failed.map((each) => each.job.name)).toEqual(['odd', 'bad_0', 'bad_7', 'bad_8', 'bad_9']);
    const text = table(runResultView, result);
    expect(text).toMatch(/^workflow 3 nightly, run 1: waiting for a decision/);
    expect(text).toContain('pending_failed odd: exit 1 - waiting for a decision');
    expect(text).toContain('\nfailed 7 jobs: exit 1');
    expect(text).toContain('\n  jobs: bad_0, bad_1, bad_2, bad_3, bad_4, bad_5, bad_6\n');
    expect(text).toContain('and 2 more: holdfast jobs 3 --status pending_failed,failed');
    expect(text.split('\n').slice(-4)).toEqual([
      'next: 1 job waits for a decision',
      '  holdfast failures 3  what failed, and how',
      '  holdfast resolve 3   try again or give up',
      '  holdfast run 3       resume after that',
    ]);
  });
});

describe('the end of a run that failed offers', () => {
  const CONTINUE = ['run SPEC --continue 3', 'after a fix in the spec'] as const;

  test.each<[string, Cause[], (readonly [string, string])[]]>([
    [
      'to retry one job',
      ['exit'],
      [['explain 3 bad_0', 'why it failed'], ['retry 3 bad_0', 'try it again as it is'], CONTINUE],
    ],
    [
      'to recover one that ran out of time',
      ['timeout'],
      [['explain 3 bad_0', 'why it failed'], ['recover 3', 'try again with more memory or time'], CONTINUE],
    ],
    [
      'to retry several',
      ['exit', 'signal'],
      [
        ['failures 3', 'all failures, grouped'],
        ['explain 3 bad_0', 'why bad_0 failed'],
        ['retry 3 --failed', 'try all of them again as they are'],
        CONTINUE,
      ],
    ],
    [
      'to recover where one of several ran out of memory',
      ['exit', 'oom'],
      [
        ['failures 3', 'all failures, grouped'],
        ['explain 3 bad_0', 'why bad_0 failed'],
        ['recover 3', 'try again with more memory or time'],
        CONTINUE,
      ],
    ],
  ])('%s', async (_, causes, expected) => {
    const jobs = causes.map((_cause, id) => job({ id, name: `bad_${id}`, status: 'failed' }));
    const engine = {
      ...failureReads(jobs.map((each) => [each])),
      getJob: async (_id: number, id: number) => jobs[id],
      listAttempts: async (_id: number, { job: id }: { job: number }) => ({
        items: [attempt({ cause: causes[id]! })],
        next: null,
      }),
      readLog: async () => {
        throw new HoldfastError('NO_LOG', { stream: 'stderr', attempt: 1, job: 'bad' });
      },
    } as unknown as Engine;
    const failed = status({ complete: true, exit_code: 1, counts: counts({ failed: causes.length }) });
    const story = { routed: false, asksCode: false, debug: false };
    const result = await collectRunResult(engine, failed, 'table', story);
    const lines = table(runResultView, result).split('\n\nnext: ')[1]!.split('\n');
    expect(lines.map((line) => line.trim().split(/ {2,}/))).toEqual(
      expected.map(([command, purpose]) => [`holdfast ${command}`, purpose]),
    );
  });
});
