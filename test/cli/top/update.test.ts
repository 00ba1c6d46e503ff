import { describe, expect, test } from 'vitest';
import type { TopPlan } from '../../../src/cli/top/plans.ts';
import {
  lookedFor,
  receiveEnd,
  receiveLines,
  receiveList,
  receivePlan,
} from '../../../src/cli/top/receive.ts';
import { frontList, type ListData } from '../../../src/cli/top/top-state.ts';
import { job, NOON, status } from '../records.ts';
import { group, press, SIZE, startedWith, withFailures, withJobs } from './top-records.ts';

const NAMES = Array.from({ length: 40 }, (_, index) => `job_${index + 1}`);

describe('moving in a list', () => {
  test('keeps the selected row on the screen', () => {
    const down = press(withJobs(NAMES), ...Array<string>(25).fill('j'));
    expect(frontList(down.state)).toMatchObject({ selected: 25, offset: 8 });
    const up = press(down.state, ...Array<string>(20).fill('up'));
    expect(frontList(up.state)).toMatchObject({ selected: 5, offset: 5 });
    expect(frontList(press(up.state, 'G').state)).toMatchObject({ selected: 39, offset: 22 });
    expect(frontList(press(up.state, 'k', 'k', 'home').state)).toMatchObject({ selected: 0, offset: 0 });
  });

  test('reads the next page after the last row, and the page before above the first', () => {
    const last = press(withJobs(NAMES, 40), 'end');
    expect(last.effects).toEqual([]);
    const turned = press(last.state, 'j');
    expect(turned.effects).toEqual([{ kind: 'load' }]);
    expect(frontList(turned.state)).toMatchObject({ pages: [null, 40], selected: 0, data: null });

    const data: ListData = { view: 'jobs', status: status(), items: [job({ id: 41 })], next: null };
    const second = receiveList(turned.state, lookedFor(turned.state), data, SIZE, NOON);
    const first = press(second, 'k');
    expect([first.effects, frontList(first.state).pages]).toEqual([[{ kind: 'load' }], [null]]);
    const items = NAMES.map((name, index) => job({ id: index + 1, name }));
    const read = receiveList(first.state, lookedFor(first.state), { ...data, items, next: 40 }, SIZE, NOON);
    expect(frontList(read).selected).toBe(39);
  });

  test('keeps the same job selected when rows come in above it', () => {
    const state = press(withJobs(['a', 'b', 'c']), 'j').state;
    const items = [
      job({ id: 9, name: 'new' }),
      ...['a', 'b', 'c'].map((name, at) => job({ id: at + 1, name })),
    ];
    const data = { view: 'jobs', status: status(), items, next: null } as const;
    expect(frontList(receiveList(state, lookedFor(state), data, SIZE, NOON)).selected).toBe(2);
  });
});

describe('filters', () => {
  test('by name read the list again from its first page, and esc takes them back', () => {
    const found = press(withJobs(NAMES), '/', 'a', 'q', 'backspace', 'b', 'return');
    expect([frontList(found.state).name, found.state.dialog, found.effects]).toEqual([
      'ab',
      null,
      [{ kind: 'load' }],
    ]);
    expect(frontList(press(found.state, 'escape').state).name).toBe('');
    expect(press(found.state, '/', 'x', 'escape').state.dialog).toBeNull();
  });

  test('by status follow each other, and begin again after the last', () => {
    const once = press(withJobs(NAMES), 's');
    expect(frontList(once.state).statuses).toEqual(['running', 'pending']);
    const all = press(withJobs(NAMES), ...Array<string>(8).fill('s'));
    expect(frontList(all.state).statuses).toBeNull();
  });

  test('are refused where there is nothing to filter', () => {
    expect(press(withFailures([group()]), '/').state.notice?.text).toBe(
      'only workflows and jobs can be searched by name',
    );
  });
});

describe('an action', () => {
  const plan: TopPlan = {
    kind: 'cancel',
    workflow: 3,
    request: { actor: 'ada' },
    question: 'Cancel job job_1?',
    words: [],
  };

  test('is tried first, asks, and is carried out after y alone', () => {
    const wanted = press(withJobs(NAMES), 'c');
    expect(wanted.effects).toEqual([
      {
        kind: 'plan',
        action: { verb: 'cancel', target: { kind: 'job', workflow: 3, job: 1, name: 'job_1' } },
      },
    ]);
    // Keys that come before the question are not taken for its answer.
    expect(press(wanted.state, 'y', 'return').effects).toEqual([]);
    const question = receivePlan(wanted.state, plan);
    expect(press(question, 'r', 'return', ' ', 'j').effects).toEqual([]);
    expect(press(question, 'n').state).toMatchObject({
      dialog: null,
      notice: { text: 'nothing was changed' },
    });
    const answered = press(question, 'y');
    expect(answered.effects).toEqual([{ kind: 'act', plan }]);
    expect(press(answered.state, 'y').effects).toEqual([]);
    expect(receiveEnd(answered.state, 'canceled', false)).toMatchObject({
      dialog: null,
      notice: { text: 'canceled', isError: false },
    });
  });

  test('with nothing to do says so and asks nothing', () => {
    const none = receivePlan(press(withJobs(NAMES), 'r').state, 'nothing is left to cancel');
    expect([none.dialog, none.notice?.text]).toEqual([null, 'nothing is left to cancel']);
  });

  test('is for the group of failures that is selected or open, and for its workflow when it recovers', () => {
    const failures = withFailures([group()]);
    for (const keys of [['f'], ['return', 'f']]) {
      expect(press(failures, ...keys).effects.at(-1)).toMatchObject({
        kind: 'plan',
        action: {
          verb: 'fail',
          target: { kind: 'group', workflow: 3, group: { fingerprint: 'e0bbd44b3ffa' } },
        },
      });
    }
    expect(press(failures, 'R').effects).toMatchObject([
      { kind: 'plan', action: { verb: 'recover', target: { kind: 'workflow', id: 3 } } },
    ]);
  });

  test('takes an amount of memory that is one', () => {
    const failures = withFailures([group()]);
    expect(press(failures, 'm', ...'much', 'return').state.notice).toEqual({
      text: 'memory must be a size such as 4g',
      isError: true,
    });
    expect(press(failures, 'm', '4', 'g', 'return').effects).toMatchObject([
      { kind: 'plan', action: { verb: 'retry', memory: '4g' } },
    ]);
  });

  test('needs something that is selected', () => {
    expect(press(withJobs([]), 'c')).toMatchObject({
      effects: [],
      state: { dialog: null, notice: { text: 'nothing is selected', isError: true } },
    });
  });
});

describe('going from one screen to another', () => {
  test('opens a job, its log and the other stream, and comes back', () => {
    const opened = press(withJobs(NAMES), 'return', 'l', 'tab');
    expect(opened.state.details.map(({ kind }) => kind)).toEqual(['explanation', 'log']);
    expect(opened.state.details.at(-1)).toMatchObject({ stream: 'stderr', offset: null, target: { job: 1 } });
    expect(press(opened.state, 'escape', 'q').state.details).toEqual([]);
    expect(press(opened.state, 'q', 'q', 'q').effects.at(-1)).toEqual({ kind: 'quit' });
  });

  test.each([
    ['completed', 'stdout'],
    ['running', 'stdout'],
    ['failed', 'stderr'],
    ['terminated', 'stderr'],
    ['pending_failed', 'stderr'],
  ] as const)('begins the log of a job that is %s with %s', (status, stream) => {
    const jobs = withJobs(NAMES, null, { status });
    for (const keys of [['l'], ['return', 'l']])
      expect(press(jobs, ...keys).state.details.at(-1)).toMatchObject({ kind: 'log', stream });
  });

  test('shows the failures of the workflow that is selected', () => {
    const start = startedWith({ isNamed: false });
    expect(start.view).toBe('workflows');
    expect(press(start, '4')).toMatchObject({ state: { view: 'failures' }, effects: [{ kind: 'load' }] });
    expect(press(startedWith({ workflow: null, isNamed: false }), '2').state).toMatchObject({
      view: 'workflows',
      notice: { text: 'there is no workflow yet' },
    });
  });

  test('drops an answer that comes after its screen was left', () => {
    const log = press(withJobs(NAMES), 'l').state;
    const left = press(log, 'escape').state;
    expect(receiveLines(left, lookedFor(log), ['late'], NOON)).toBe(left);
    expect(receiveLines(log, lookedFor(log), ['in time'], NOON).details.at(-1)?.lines).toEqual(['in time']);
  });

  test('leaves the end of a log when it is scrolled, and returns to it', () => {
    const log = press(withJobs(NAMES), 'l').state;
    const read = receiveLines(log, lookedFor(log), NAMES, NOON);
    const up = press(read, 'k');
    expect(up.state.details.at(-1)?.offset).toBe(20);
    expect(press(up.state, 'G').state.details.at(-1)?.offset).toBeNull();
  });

  test('ctrl-c quits from everywhere', () => {
    for (const keys of [[], ['/'], ['c'], ['?'], ['return']]) {
      expect(press(withJobs(NAMES), ...keys, 'ctrl-c').effects.at(-1)).toEqual({ kind: 'quit' });
    }
  });
});
