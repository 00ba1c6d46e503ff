import { describe, expect, test } from 'vitest';
import { cancellationView } from '../../src/cli/texts/cancellation-text.ts';
import { explanationView } from '../../src/cli/texts/explanation-text.ts';
import { attemptsView } from '../../src/cli/texts/lists/attempts.ts';
import { type Check, checksView } from '../../src/cli/texts/lists/checks.ts';
import { eventsView } from '../../src/cli/texts/lists/events.ts';
import { jobsView } from '../../src/cli/texts/lists/jobs.ts';
import { workflowsView } from '../../src/cli/texts/lists/workflows.ts';
import { statusView } from '../../src/cli/texts/status-text.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { json, quiet, table } from './printed.ts';
import { explanation, failed, shownExplanation } from './printed-records.ts';
import { attempt, evaluation, event, job, NOON, status, textStyle } from './records.ts';

describe('a table', () => {
  test('lists jobs with their counts and when a retry is due', () => {
    const waiting = job({
      id: 12,
      name: 'evil\x1b[2J',
      status: 'ready',
      failure_count: 1,
      retry_available_at_ms: NOON + 2000,
      reason: 'retry 1 of 3 after 2s',
    });
    expect(table(jobsView, [job(), waiting]).split('\n')).toEqual([
      'ID  NAME      STATUS     ATTEMPT  FAILURES  LOST  REASON',
      ' 7  train_1   completed        1         0     0  -',
      '12  evil␛[2J  queued           1         1     0  retry 1 of 3 after 2s (due in 2s)',
    ]);
  });

  test('lists attempts with outcome, start and duration', () => {
    const running = attempt({
      attempt_id: 2,
      state: 'RUNNING',
      error: null,
      finished_at_ms: null,
      started_at_ms: NOON - 90_000,
      reason: null,
    });
    expect(table(attemptsView, [attempt(), running]).split('\n')).toEqual([
      'JOB      RUN  ATTEMPT  STATE    OUTCOME  STARTED    TOOK  REASON',
      'train_1    1        1  FAILED   exit 1   11:59:58   1.5s  retry 1 of 3 after 1s',
      'train_1    1        2  RUNNING  -        11:58:30  1m30s  -',
    ]);
  });

  test('distinguishes attempts that were not run, or failed with exit code 0', () => {
    const skipped = attempt({ verdict: 'disable', error: 'exit null', started_at_ms: null });
    const checked = evaluation({ key: 'fail_if', result: { ok: true, value: true } });
    const unclear = evaluation({ key: 'fail_if', result: { ok: false, problem: 'x is not defined' } });
    const reported = [
      skipped,
      attempt({ error: 'exit 0', evaluations: [checked] }),
      attempt({ error: 'exit 0', evaluations: [unclear] }),
    ].map((each) => table(attemptsView, [each]).split('\n')[1]!.slice(23));
    expect(reported[0]).toMatch(/^FAILED +not run /);
    expect(reported[1]).toMatch(/^FAILED +exit 0, but its fail_if is true /);
    expect(reported[2]).toMatch(/^FAILED +exit 0, but its fail_if cannot be evaluated /);
  });

  test('lists events', () => {
    expect(table(eventsView, [event()]).split('\n')[1]).toBe(
      '12  12:01:07  completed  train_1        1  -      exit 0 and every declared output exists',
    );
  });

  test('adapts to a narrow terminal', () => {
    const narrow = textStyle({ width: 60 });
    const long = job({ name: `fetch_${'x'.repeat(80)}_42`, reason: 'because '.repeat(20) });
    for (const line of table(jobsView, [long], narrow).split('\n'))
      expect(line.length).toBeLessThanOrEqual(60);
  });
});

describe('JSON', () => {
  test('prints the records as they are', () => {
    expect(json(jobsView, [job()])).toEqual([job()]);
    expect(json(attemptsView, [attempt()])[0].outcome).toEqual(outcome({ exit_code: 1 }));
    expect(json(eventsView, [])).toEqual([]);
    expect(json(workflowsView, { statuses: [failed], more: 3 })).toEqual([failed]);
    expect(json(explanationView, shownExplanation(explanation)).headline).toBe(explanation.headline);
  });
});

describe('quiet output', () => {
  test('prints ids or names of lists, one a line', () => {
    expect(quiet(workflowsView, { statuses: [failed, status()], more: 0 })).toBe('3\n3');
    expect(quiet(jobsView, [job(), job({ name: 'a\nb' })])).toBe('train_1\na␊b');
    expect(quiet(attemptsView, [attempt({ attempt_id: 2 })])).toBe('train_1 r1 a2');
    expect(quiet(eventsView, [event()])).toBe('12');
    const shown = { workflow_id: 3, dry_run: false, canceled: [1], stopping: [4], actions: [] };
    expect(quiet(cancellationView, shown)).toBe('1\n4');
  });

  test('prints the state of a single thing', () => {
    expect(quiet(statusView, failed)).toBe('failed');
    expect(quiet(explanationView, shownExplanation(explanation))).toBe('blocked');
  });

  test('prints only the checks that need attention', () => {
    const checks: Check[] = [
      { name: 'node', result: 'ok', detail: 'v20', hint: null },
      { name: 'bash', result: 'fail', detail: 'not found', hint: 'install it' },
    ];
    expect(quiet(checksView, checks)).toBe('bash');
    expect(table(checksView, checks).split('\n')).toEqual([
      'ok    node  v20',
      'fail  bash  not found',
      '            install it',
    ]);
  });
});
