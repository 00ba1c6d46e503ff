import { describe, expect, test } from 'vitest';
import { plainLogLines } from '../../../src/cli/logs/plain-log-lines.ts';
import { displayWidth } from '../../../src/cli/terminal/display-width.ts';
import { lineText } from '../../../src/cli/terminal/styled-line.ts';
import { lookedFor, receiveLines, receivePlan } from '../../../src/cli/top/receive.ts';
import { render } from '../../../src/cli/top/render.ts';
import { keyName } from '../../../src/cli/top/terminal.ts';
import type { TopState } from '../../../src/cli/top/top-state.ts';
import { NOON } from '../records.ts';
import { group, press, SIZE, startedWith, withFailures, withJobs } from './top-records.ts';

const HOSTILE = 'a\x1b]0;title\x07\x1b[2J\n\u202egnp\u{1f600}漢字';
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/;

const lines = (state: TopState, size = SIZE, now = NOON) => render(state, size, now).map(lineText);

function hostileStates(): TopState[] {
  const jobs = withJobs([HOSTILE, HOSTILE.repeat(20)]);
  const failures = withFailures([group({ error: HOSTILE, sample: { ...group().sample, name: HOSTILE } })]);
  const log = press(jobs, 'l').state;
  return [
    jobs,
    failures,
    startedWith({ workflow: { id: 3, name: HOSTILE } }),
    receiveLines(log, lookedFor(log), [HOSTILE, HOSTILE.repeat(30)], NOON),
    { ...jobs, notice: { text: HOSTILE, isError: true } },
    { ...jobs, problem: HOSTILE },
    receivePlan(press(jobs, 'c').state, {
      kind: 'cancel',
      workflow: 3,
      request: { actor: 'ada' },
      question: HOSTILE,
      words: [HOSTILE.repeat(9)],
    }),
    press(jobs, '/', '\u202e', '漢').state,
    press(jobs, '?').state,
  ];
}

test('every screen has as many lines as there are rows, none wider than it, and no control character', () => {
  for (const state of hostileStates()) {
    for (const size of [
      SIZE,
      { columns: 120, rows: 40 },
      { columns: 41, rows: 10 },
      { columns: 12, rows: 3 },
    ]) {
      const drawn = lines(state, size);
      expect(drawn).toHaveLength(size.rows);
      expect(Math.max(...drawn.map(displayWidth))).toBeLessThanOrEqual(size.columns);
      expect(drawn.filter((line) => CONTROLS.test(line))).toEqual([]);
    }
  }
});

test('a list has the state of its workflow, its counts, and a sign at the row that is selected', () => {
  const drawn = lines(press(withJobs(['first', 'second'], 2), 'j').state);
  expect(drawn[0]).toMatch(/^workflow 3 nightly, run 1: incomplete, started 1m00s ago +12:00:00$/);
  expect(drawn[1]).toContain('[2 Jobs]');
  expect(drawn[2]).toBe('completed 5  running 2  queued 1  blocked 2  page 1');
  expect(drawn.slice(3, 6).map((line) => line.trimEnd())).toEqual([
    '  ID  NAME    STATUS     ATTEMPT  REASON',
    '   1  first   completed        1  -',
    '>  2  second  completed        1  -',
  ]);
});

test('a long name leaves the state of its workflow and the stream of a log on the screen', () => {
  const name = `survey_${'y'.repeat(150)}_2026`;
  const jobs = withJobs([name], null, { status: 'failed' });
  const { data } = jobs.lists.jobs;
  if (data?.view !== 'jobs') throw new Error('no jobs');
  const workflow = { ...data.status.workflow, name };
  const named = { ...data, status: { ...data.status, workflow } };
  const state = { ...jobs, lists: { ...jobs.lists, jobs: { ...jobs.lists.jobs, data: named } } };
  const shortened = /survey_y+…y+_2026/.source;
  expect(lines(state)[0]).toMatch(
    new RegExp(`^workflow 3 ${shortened}, run 1: incomplete, started 1m00s ago 12:00:00$`),
  );
  expect(lines(press(state, 'l').state)[2]).toMatch(
    new RegExp(`^stderr of ${shortened}  follows, tab: stdout$`),
  );
});

test('a filter is shown as what it means: a part of the name, or a pattern', () => {
  const searched = (text: string) =>
    lines({
      ...withJobs(['a']),
      lists: {
        ...withJobs(['a']).lists,
        jobs: { ...withJobs(['a']).lists.jobs, name: text },
      },
    })[2];
  expect(searched('sim')).toMatch(/^named \*sim\* {2}/);
  expect(searched('sim_*')).toMatch(/^named sim_\* {2}/);
});

test('the keys at the bottom fit 80 columns on every screen', () => {
  const jobs = withJobs(['a']);
  for (const keys of [['1'], ['2'], ['3'], ['4'], ['5'], ['6'], ['return'], ['l'], ['?']]) {
    expect(
      lines(press(jobs, ...keys).state).filter((line) => line.endsWith('…') && !line.startsWith('reading')),
    ).toEqual([]);
  }
});

test('a question shows what would be done, in words', () => {
  const question = receivePlan(press(withJobs(['a']), 'c').state, {
    kind: 'cancel',
    workflow: 3,
    request: { actor: 'ada' },
    question: 'Cancel job a and 3 jobs after it?',
    words: ['workflow 3: would cancel 4 jobs'],
  });
  expect(lines(question).slice(-3)).toEqual([
    'workflow 3: would cancel 4 jobs',
    'Cancel job a and 3 jobs after it?',
    'y: yes   n: no, change nothing',
  ]);
});

describe('what is shown', () => {
  test('is said to be old when the engine does not answer', () => {
    const state = withJobs(['a']);
    expect(lines(state, SIZE, NOON + 5000).at(-2)).toBe('');
    expect(lines(state, SIZE, NOON + 60_000).at(-2)).toBe('waiting for an answer; shown as of 12:00:00');
    expect(lines({ ...state, problem: 'the server cannot be reached' }).at(-2)).toBe(
      'cannot read (shown as of 12:00:00): the server cannot be reached',
    );
  });
});

test('lines of a log have no colours and no tabs, and what was overwritten is gone', () => {
  expect(plainLogLines('\x1b[31mred\x1b[0m\n10%\r20%\r\na\tb\n')).toEqual(['red', '20%', 'a       b']);
  expect(plainLogLines('\x1b]0;title\x07\x1b[2Jx\x07')).toEqual(['x\u2407']);
  expect(plainLogLines('')).toEqual([]);
});

test('keys are known by their characters, or by their names', () => {
  expect(keyName('R', { name: 'r', shift: true })).toBe('R');
  expect(keyName('\r', { name: 'return' })).toBe('return');
  expect(keyName('\x03', { name: 'c', ctrl: true })).toBe('ctrl-c');
  expect(keyName(undefined, { name: 'up' })).toBe('up');
  expect(keyName('\x1b', { name: 'escape' })).toBe('escape');
});
