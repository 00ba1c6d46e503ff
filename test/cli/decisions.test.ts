import { describe, expect, test } from 'vitest';
import { eventLine } from '../../src/cli/progress/event-line.ts';
import { lineText } from '../../src/cli/terminal/styled-line.ts';
import { failuresView } from '../../src/cli/texts/failures-text.ts';
import { decisionStatsView } from '../../src/cli/texts/lists/decision-stats.ts';
import { eventsView } from '../../src/cli/texts/lists/events.ts';
import { resolutionView } from '../../src/cli/texts/resolution-text.ts';
import { usageView } from '../../src/cli/texts/usage-table.ts';
import { planCount, planDecisions, planWords } from '../../src/cli/triage/plan-triage.ts';
import { decisionStats } from '../../src/views/decision-stats.ts';
import { jobUsage } from '../../src/views/job-usage.ts';
import { decision, failedJob, group, resolved, utilization } from './decision-records.ts';
import { json, quiet, table } from './printed.ts';
import { event, NOON } from './records.ts';

describe('failures', () => {
  const groups = [
    group({
      jobs: ['a', 'b', 'c', 'd', 'e'].map((name, index) => failedJob({ job_id: index, name })),
      past: { retried: 12, succeeded: 10, failed_again: 1, failed: 2, latest: [] },
      stderr_tail: 'Connection refused\nevil\x1b[2J',
    }),
    group({
      fingerprint: 'ffff00001111',
      cause: 'oom',
      match_code: 137,
      error: 'ran out of memory',
      jobs: [failedJob({ status: 'failed' })],
    }),
  ];

  test('show each group with its jobs, how earlier decisions ended, and the end of stderr', () => {
    expect(table(failuresView, { groups, next: { kind: 'resolve', workflow: 3 } }).split('\n')).toEqual([
      'abcd12345678  5 jobs, waiting: exit 7',
      '  jobs: a, b, c and 2 more',
      '  before: retried 12, 10 succeeded, 1 failed again; failed 2',
      '  stderr of e: output/job_stdio/job_wf3_j7_r1_a1.e',
      '  | Connection refused',
      '  | evil␛[2J',
      '',
      'ffff00001111  1 job: ran out of memory (oom, code 137)',
      '  jobs: train_1',
      '  before: no decision about a failure like this',
      '  stderr of train_1: output/job_stdio/job_wf3_j7_r1_a1.e (empty)',
      '',
      'next: holdfast resolve 3',
    ]);
  });

  test('say how many of a group wait, cut long lines, and say so when there are none', () => {
    const [mixed] = table(failuresView, {
      groups: [group({ jobs: [failedJob(), failedJob({ status: 'failed' })] })],
      next: null,
    }).split('\n');
    expect(mixed).toBe('abcd12345678  2 jobs, 1 waiting: exit 7');
    const long = table(failuresView, {
      groups: [group({ stderr_tail: 'x'.repeat(5000) })],
      next: null,
    }).split('\n');
    expect(long.at(-1)).toHaveLength(304);
    expect(table(failuresView, { groups: [], next: null })).toBe('no failures');
  });

  test('are the groups themselves for programs, and fingerprints in quiet', () => {
    expect(json(failuresView, { groups, next: { kind: 'resolve', workflow: 3 } })).toEqual(groups);
    expect(quiet(failuresView, { groups, next: null })).toBe('abcd12345678\nffff00001111');
  });
});

describe('past decisions', () => {
  const records = [
    decision({ id: 5, became: 'open', reason: 'storage is back', decided_at_ms: NOON - 1000 }),
    decision({ id: 4, became: 'succeeded' }),
    decision({ id: 3, became: 'failed_again' }),
    decision({ id: 2, actor: 'agent:claude', action: 'fail', became: null, reason: 'a bug' }),
    decision({ id: 1, fingerprint: 'ffff00001111', became: 'succeeded' }),
  ];

  test('are counted per fingerprint, decision and actor, the most frequent fingerprint first', () => {
    const stats = decisionStats(records);
    expect(stats.map(({ by, decisions, ...counts }) => counts)).toEqual([
      { fingerprint: 'abcd12345678', retried: 3, succeeded: 1, failed_again: 1, failed: 1 },
      { fingerprint: 'ffff00001111', retried: 1, succeeded: 1, failed_again: 0, failed: 0 },
    ]);
    expect(table(decisionStatsView, stats).split('\n')).toEqual([
      'FINGERPRINT   DECISION  ACTOR         JOBS  SUCCEEDED  FAILED AGAIN  OPEN  LATEST    REASON',
      'abcd12345678  retry     ada              3          1             1     1  11:59:59  storage is back',
      'abcd12345678  fail      agent:claude     1          -             -     -  11:00:00  a bug',
      'ffff00001111  retry     ada              1          1             0     0  11:00:00  -',
    ]);
    expect(json(decisionStatsView, stats)).toEqual(stats);
    expect(quiet(decisionStatsView, stats)).toBe('abcd12345678\nffff00001111');
  });

  test('say so when there are none', () => {
    expect(table(decisionStatsView, decisionStats([]))).toBe('no decisions yet');
  });
});

describe('decisions that were made', () => {
  const result = {
    dry_run: false,
    jobs: [
      resolved({ memory_bytes: 4 * 1024 ** 3, runtime_ms: 7_200_000, reason: 'evil\x1b[2J' }),
      resolved({ job_id: 8, name: 'convert', action: 'fail', canceled: ['pack', 'send'] }),
      resolved({ job_id: 9, name: 'old', result: 'already_resolved' }),
    ],
  };
  const shown = { workflow_id: 3, ...result, next: { kind: 'run', workflow: 3 } } as const;

  test('show for each job what follows, and the next command', () => {
    expect(table(resolutionView, shown).split('\n')).toEqual([
      'workflow 3: decided about 2 jobs, 1 already resolved',
      '  retry  train_1: attempt 2 comes next with 4g of memory and a limit of 2h00m; evil␛[2J',
      '  fail   convert: ends as failed, cancels pack, send',
      '  retry  old: already resolved',
      'next: holdfast run 3',
    ]);
    expect(json(resolutionView, shown)).toEqual({ workflow_id: 3, ...result });
    expect(quiet(resolutionView, shown)).toBe('7\n8');
  });

  test('that were only tried say so', () => {
    const tried = { dry_run: true, jobs: [resolved()] };
    expect(table(resolutionView, { workflow_id: 3, ...tried, next: null }).split('\n')).toEqual([
      'workflow 3: would decide about 1 job',
      '  retry  train_1: attempt 2 comes next',
      'nothing was changed; the same without --dry-run decides',
    ]);
  });

  test('about many jobs show the first ones', () => {
    const jobs = Array.from({ length: 500 }, (_, job_id) => resolved({ job_id, name: `job_${job_id}` }));
    const lines = table(resolutionView, { workflow_id: 3, dry_run: false, jobs, next: null }).split('\n');
    expect(lines[0]).toBe('workflow 3: decided about 500 jobs');
    expect(lines.slice(-2)).toEqual(['  retry  job_19: attempt 2 comes next', '  and 480 more']);
  });

  test('are described in the audit trail, with what they changed', () => {
    const decided = event({
      type: 'decision',
      actor: 'ada',
      reason: 'ada decided: retry: flaky',
      data: { action: 'retry', confidence: 0.9, memory_bytes: 4 * 1024 ** 3, fingerprint: null },
    });
    const changed = event({
      type: 'resources_changed',
      actor: 'ada',
      reason: 'ada changed what train_1 may use',
      data: { memory_bytes: null, runtime_ms: { from: null, to: 60_000 } },
    });
    const said = event({ type: 'agent', job_id: null, job_name: null, reason: 'claude ended', data: {} });
    const text = table(eventsView, [decided, changed, said]);
    expect(text).toContain('ada decided: retry: flaky (memory 4g, confidence 0.9)');
    expect(text).toContain('ada changed what train_1 may use (runtime unlimited → 1m00s)');
    expect([decided, said].map((each) => lineText(eventLine(each)!))).toEqual([
      '12:01:07 decided train_1  ada decided: retry: flaky (memory 4g, confidence 0.9)',
      '12:01:07 agent   claude ended',
    ]);
  });
});

describe('usage', () => {
  const jobs = [
    utilization({ peak_rss_bytes: 950 * 1024 ** 2, memory_requested_bytes: 1000 * 1024 ** 2 }),
    utilization({
      name: 'idle',
      cpus_requested: 4,
      cpus_used: 0.4,
      runtime_limit_ms: 60_000,
      ran_ms: 30_000,
    }),
    utilization({ name: 'short' }),
  ].map((used) => jobUsage(used));

  test('marks what is above 90 % and below 20 %, and nothing that is not known', () => {
    expect(jobs.map(({ marks }) => marks)).toEqual([['memory_high'], ['cpus_low'], []]);
    expect(table(usageView, jobs).split('\n')).toEqual([
      'JOB      STATUS     MEMORY  PEAK  SHARE  LIMIT  RAN  SHARE  CPUS  USED  SHARE  MARK',
      'train_1  completed   1000m  950m    95%      -    -      -     -     -      -  memory high',
      'idle     completed       -     -      -  1m00s  30s    50%     4  0.40    10%  cpus low',
      'short    completed       -     -      -      -    -      -     -     -      -  -',
      '',
      'used above 90 % of what they asked for: 1 job; below 20 %: 1 job',
    ]);
  });

  test('leaves out columns in which no job has a value', () => {
    expect(table(usageView, jobs.slice(2)).split('\n').slice(0, 2)).toEqual([
      'JOB    STATUS',
      'short  completed',
    ]);
    expect(table(usageView, jobs.slice(0, 1)).split('\n')[0]).toBe(
      'JOB      STATUS     MEMORY  PEAK  SHARE  MARK',
    );
  });

  test('has the shares for programs, and in quiet the jobs that are marked', () => {
    expect(json(usageView, jobs)[0]).toMatchObject({ name: 'train_1', memory_share: 0.95 });
    expect(quiet(usageView, jobs)).toBe('train_1\nidle');
    expect(table(usageView, [])).toBe('no attempt has ended yet');
  });
});

describe('a triage', () => {
  const flaky = group({ jobs: [failedJob(), failedJob({ job_id: 8, name: 'train_2' })] });
  const broken = group({ fingerprint: 'ffff00001111', jobs: [failedJob({ job_id: 9, name: 'convert' })] });
  const later = group({ fingerprint: '000000000000', jobs: [failedJob({ job_id: 10, name: 'odd' })] });
  const answered = [
    { group: flaky, answer: { action: 'retry', memory: '4g', reason: 'noise' } as const },
    { group: broken, answer: { action: 'fail' } as const },
    { group: later, answer: { action: 'skip' } as const },
  ];

  test('makes one decision for each job of the groups that were decided about', () => {
    expect(planDecisions(answered)).toEqual([
      { job_id: 7, action: 'retry', memory: '4g', reason: 'noise' },
      { job_id: 8, action: 'retry', memory: '4g', reason: 'noise' },
      { job_id: 9, action: 'fail' },
    ]);
    expect(planCount(planDecisions(answered))).toBe('retry 2 jobs and fail 1 job');
  });

  test('says in words what will be done and what that cancels', () => {
    const tried = {
      dry_run: true,
      jobs: [
        resolved({ memory_bytes: 4 * 1024 ** 3 }),
        resolved({ job_id: 8, memory_bytes: 4 * 1024 ** 3 }),
        resolved({ job_id: 9, action: 'fail', canceled: ['pack'] }),
      ],
    };
    expect(planWords(answered, tried)).toEqual([
      'retry 2 jobs (exit 7): train_1, train_2, with 4g of memory; because noise',
      'fail 1 job (exit 7): convert, which cancels 1 job: pack',
      'leave 1 job (exit 7): odd',
    ]);
  });
});
