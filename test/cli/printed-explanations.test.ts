import { describe, expect, test } from 'vitest';
import { explanationView } from '../../src/cli/texts/explanation-text.ts';
import { attemptsView } from '../../src/cli/texts/lists/attempts.ts';
import { eventsView } from '../../src/cli/texts/lists/events.ts';
import { jobsView } from '../../src/cli/texts/lists/jobs.ts';
import { quiet, table } from './printed.ts';
import { explanation } from './printed-records.ts';
import { attempt, evaluation, event, job } from './records.ts';

describe('a table', () => {
  test('explains a job with what it waits for, the rules of each attempt and what is next', () => {
    expect(table(explanationView, explanation).split('\n')).toEqual([
      'train_1 (job 7, run 1): blocked',
      'waits for 1 of 2 dependencies: fetch (running)',
      '  after fetch, which is running',
      '',
      'attempt 1 of run 1: exit 1 (started 11:59:58, took 1.5s)',
      '    canceled  it was not canceled',
      '  → retry     retry 1 of 3 after 1s',
      '    stderr: output/job_stdio/job_wf3_j7_r1_a1.e',
      '',
      'next: it becomes ready when they have ended',
      'hint: holdfast run 3',
    ]);
  });

  test('tells of items by the label that commands take, and of callers where there are any', () => {
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
    const lines = table(explanationView, { ...explanation, attempts: [{ attempt: routed, walk: [] }] }).split(
      '\n',
    );
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
