import { describe, expect, test } from 'vitest';
import { explanationView } from '../../src/cli/texts/explanation-text.ts';
import { attemptsView } from '../../src/cli/texts/lists/attempts.ts';
import { eventsView } from '../../src/cli/texts/lists/events.ts';
import { jobsView } from '../../src/cli/texts/lists/jobs.ts';
import { hintsAfterExplanation } from '../../src/views/explanation.ts';
import { quiet, table } from './printed.ts';
import { explanation, shownExplanation } from './printed-records.ts';
import { attempt, evaluation, event, job, NOON } from './records.ts';

describe('a table', () => {
  test('explains a job with what it waits for, the rules of each attempt and what is next', () => {
    const shown = shownExplanation(explanation, { stderr: ['Traceback', 'ValueError: \x1b]0;x\x07'] });
    expect(table(explanationView, shown).split('\n')).toEqual([
      'train_1 (job 7, run 1): blocked',
      'waits for 1 of 2 dependencies: fetch (running)',
      '  stderr of attempt 1: output/job_stdio/job_wf3_j7_r1_a1.e',
      '  | Traceback',
      '  | ValueError: ␛]0;x␇',
      '  after fetch, which is running',
      '',
      'attempt 1 of run 1: exit 1 (started 11:59:58, took 1.5s)',
      '  → retry  retry 1 of 3 after 1s',
      '',
      '1 rule did not apply (--all shows it)',
      '',
      'next: it is queued when they have ended',
      '  holdfast run 3',
    ]);
  });

  test('shows for how long an attempt has been running', () => {
    const times = { started_at_ms: NOON - 5000, finished_at_ms: null };
    const running = attempt({ ...times, state: 'RUNNING', error: null, cause: null });
    const shown = shownExplanation({ ...explanation, attempts: [{ attempt: running, walk: [] }] });
    expect(table(explanationView, shown)).toContain(
      '\nattempt 1 of run 1: running for 5s (started 11:59:55)\n',
    );
  });

  test('shows the rules that did not apply with --all', () => {
    const lines = table(explanationView, shownExplanation(explanation, { allRules: true })).split('\n');
    expect(lines).toContain('    canceled  it was not canceled');
    expect(lines).toContain('  → retry     retry 1 of 3 after 1s');
    expect(lines.join('\n')).not.toContain('--all');
  });

  test('offers commands after a failure, ready to paste, with what each is for', () => {
    const broken = { ...explanation, job: { ...explanation.job, status: 'failed' as const } };
    const hints = hintsAfterExplanation(broken, { executor: 'workers' }, ['workflow.yaml']);
    expect(table(explanationView, shownExplanation(broken, { hints })).split('\n').slice(-4)).toEqual([
      'next: it is queued when they have ended',
      '  holdfast run 3',
      '  holdfast retry 3 train_1                 try it again as it is',
      '  holdfast run workflow.yaml --continue 3  after a fix in the spec',
    ]);
  });

  test('shows items by the label that commands take, and callers where there are any', () => {
    const item = { name: 'p', scope: 'list[0]' };
    expect(table(jobsView, [job(item)])).toContain(' 7  p@list[0]  completed');
    expect(table(eventsView, [event({ job_name: 'p', scope: 'list[0]' })])).toContain('p@list[0]');
    const called = attempt({ job_name: 'fix', scope: 'list[0]', caller: 'p@list[0]' });
    expect(
      table(attemptsView, [attempt(), called])
        .split('\n')
        .map((line) => line.slice(0, 45)),
    ).toEqual([
      'JOB          RUN  ATTEMPT  CALLED BY  STATE  ',
      'train_1        1        1  -          FAILED ',
      'fix@list[0]    1        1  p@list[0]  FAILED ',
    ]);
    expect(quiet(jobsView, [job(item)])).toBe('p@list[0]');
    expect(quiet(attemptsView, [called])).toBe('fix@list[0] r1 a1');
  });

  test('explains who called for an attempt, what its code said and where that led', () => {
    const routed = attempt({
      caller: 'build',
      route: { kind: 'goto', target: 'setup', loop: 2, max_loops: 10 },
      evaluations: [
        evaluation(),
        evaluation({ key: 'run_js', result: { ok: false, problem: 'out of\ntime' }, ms: 25 }),
      ],
    });
    const explained = { ...explanation, attempts: [{ attempt: routed, walk: [] }] };
    const lines = table(explanationView, shownExplanation(explained, { stderr: null })).split('\n');
    expect(lines.slice(4, -3)).toEqual([
      'attempt 1 of run 1: exit 1 (started 11:59:58, took 1.5s)',
      '    called by build',
      '    stderr: output/job_stdio/job_wf3_j7_r1_a1.e',
      '    goto_js gave "setup" (1.3 ms)',
      '    run_js failed: out of␊time (25.0 ms)',
      '    route: goto setup (loops: 2 of 10)',
    ]);
  });
});
