import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jobLabel } from '../../src/core/job/job-label.ts';
import { JOB_STATUSES } from '../../src/core/job/job-status.ts';
import { downstreamOf } from '../../src/core/selection/downstream.ts';
import { globMatcher, isPattern, likePattern } from '../../src/core/selection/glob.ts';
import { lackingDependencies } from '../../src/core/selection/lacking-dependency.ts';
import { nearNames } from '../../src/core/selection/near-names.ts';
import { type SelectableJob, selectJobs } from '../../src/core/selection/select-jobs.ts';
import type { Selection } from '../../src/core/selection/selection.ts';
import { courses } from '../property-runs.ts';

describe('a pattern', () => {
  test.each([
    ['sim_*', 'sim_1', true],
    ['sim_*', 'sim_', true],
    ['sim_*', 'a sim_1', false],
    ['*', '', true],
    ['*', 'anything at all', true],
    ['?', '', false],
    ['?', 'é', true],
    ['?', '🚀', true],
    ['a?c', 'a🚀c', true],
    ['a??c', 'a🚀c', false],
    ['**a**', 'bab', true],
    ['p@list[*]', 'p@list[0]', true],
    ['p@list[0]', 'p@list[0]', true],
    ['p@list[0]', 'p@list0', false],
    ['*@list[1?]', 'p@list[12]', true],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['a\\', 'a\\', true],
    ['a.b', 'axb', false],
    ['(a|b)+$', '(a|b)+$', true],
    ['SIM*', 'sim_1', false],
    ['*ab*ab', 'ab', false],
    ['*ab*ab', 'abab', true],
    ['*a?', 'aab', true],
    ['日*', '日本', true],
  ])('%s and %s: %s', (pattern, text, expected) => {
    expect(globMatcher(pattern)(text)).toBe(expected);
  });

  test('is what a regular expression of the same meaning says, for any texts', () => {
    const letters = fc.constantFrom('a', 'b', '*', '?', '\\', '[', ']', '.', '@', '🚀', 'é', '\n');
    const text = fc.string({ unit: letters, maxLength: 12 });
    fc.assert(
      fc.property(text, text, (pattern, name) => {
        expect(globMatcher(pattern)(name)).toBe(regexOf(pattern).test(name));
      }),
      { numRuns: courses(2000) },
    );
  });

  test.each([
    ['sim_*', 'sim\\_%'],
    ['p@list[1?]', 'p@list[1_]'],
    ['100%\\*', '100\\%*'],
    ['a\\\\b?', 'a\\\\b_'],
    ['*🚀*', '%🚀%'],
  ])('%s is %s for a database', (pattern, expected) => {
    expect(likePattern(pattern)).toBe(expected);
  });

  test('made to be slow is not', () => {
    const name = 'a'.repeat(1000);
    const started = process.cpuUsage().user;
    for (const pattern of [`${'*a'.repeat(400)}*b`, `*${'?'.repeat(400)}b`, `*${'a'.repeat(500)}?b`]) {
      const isMatch = globMatcher(pattern);
      for (let count = 0; count < 100; count += 1) expect(isMatch(name)).toBe(false);
    }
    // A regular expression needs more than the age of the universe for the first of them.
    expect(process.cpuUsage().user - started).toBeLessThan(20e6);
  });

  test('is distinguished from a name by what it contains', () => {
    expect(['a*', 'a?', 'a\\*'].map(isPattern)).toEqual([true, true, true]);
    expect(['a', 'p@list[0]', 'a.b', ''].map(isPattern)).toEqual([false, false, false, false]);
  });
});

/** Written as differently from the matcher as can be. */
function regexOf(pattern: string): RegExp {
  const source = pattern.replace(/\\([\s\S])|([\s\S])/gu, (_, escaped?: string, plain?: string) => {
    if (escaped === undefined && plain === '*') return '[\\s\\S]*';
    if (escaped === undefined && plain === '?') return '[\\s\\S]';
    return (escaped ?? plain!).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  });
  return new RegExp(`^${source}$`, 'u');
}

describe('a selection', () => {
  interface Graph {
    jobs: (SelectableJob & { dependency_set_id: number | null })[];
    members: { set_id: number; job_id: number }[];
    /** What each job waits for, by place. */
    needs: number[][];
  }

  const anyGraph: fc.Arbitrary<Graph> = fc
    .array(
      fc.record({
        name: fc.constantFrom('a', 'b', 'ab', 'sim_1', 'sim_2', 'a@x'),
        scope: fc.constantFrom('', 'l[0]', 'l[1]'),
        status: fc.constantFrom(...JOB_STATUSES),
        needs: fc.array(fc.nat(20), { maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 12 },
    )
    .map((rows) => {
      const needs = rows.map((row, place) => [...new Set(row.needs.filter((other) => other < place))]);
      return {
        jobs: rows.map(({ name, scope, status }, place) => ({
          id: place + 1,
          name,
          scope,
          status,
          dependency_set_id: needs[place]!.length === 0 ? null : 100 + place,
        })),
        members: needs.flatMap((of, place) =>
          of.map((other) => ({ set_id: 100 + place, job_id: other + 1 })),
        ),
        needs,
      };
    });
  const ref = fc.oneof(
    fc.integer({ min: 1, max: 14 }),
    fc.constantFrom('a', 'b', 'a@l[0]', 'a@x', 'a@x@l[1]', 'no'),
  );
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 1 });
  const anySelection = fc.record({
    jobs: optional(fc.array(ref, { maxLength: 3 })),
    patterns: optional(fc.array(fc.constantFrom('*', 'a*', '?', 'sim_?', '*@l[0]', 'zz*'), { maxLength: 2 })),
    statuses: optional(fc.uniqueArray(fc.constantFrom(...JOB_STATUSES), { minLength: 1, maxLength: 4 })),
    fingerprint: optional(fc.constantFrom('f', 'g')),
    from: optional(fc.array(ref, { minLength: 1, maxLength: 2 })),
    only: optional(fc.boolean()),
  });

  /** One job at a time, by asking what the words of the selection say about it. */
  function isSelected(selection: Selection, graph: Graph, place: number, marks: ReadonlyMap<number, string>) {
    const job = graph.jobs[place]!;
    const means = (given: string | number) =>
      given === job.id || given === job.name || (job.scope !== '' && given === `${job.name}@${job.scope}`);
    const isFrom = (at: number): boolean => {
      const one = graph.jobs[at]!;
      const own = (selection.from ?? []).some(
        (given) =>
          given === one.id ||
          given === one.name ||
          (one.scope !== '' && given === `${one.name}@${one.scope}`),
      );
      return own || (selection.only !== true && graph.needs[at]!.some(isFrom));
    };
    const { jobs, patterns, from, statuses, fingerprint } = selection;
    const isAdded =
      (jobs === undefined && patterns === undefined && from === undefined) ||
      (jobs ?? []).some(means) ||
      (patterns ?? []).some((pattern) => regexOf(pattern).test(jobLabel(job))) ||
      isFrom(place);
    return (
      isAdded &&
      (statuses === undefined || statuses.includes(job.status)) &&
      (fingerprint === undefined || marks.get(job.id) === fingerprint)
    );
  }

  test('is what its words say of each job, for random graphs, statuses and selections', () => {
    let chosen = 0;
    fc.assert(
      fc.property(
        anyGraph,
        anySelection,
        fc.array(fc.constantFrom('f', 'g', 'h'), { maxLength: 12 }),
        (graph, given, marks) => {
          const selection = Object.fromEntries(
            Object.entries(given).filter(([, value]) => value !== undefined),
          ) as Selection;
          const fingerprints = new Map(marks.map((mark, place) => [place + 1, mark]));
          const roots = graph.jobs
            .filter(({ id, name, scope }) =>
              (selection.from ?? []).some((one) => one === id || one === name || one === `${name}@${scope}`),
            )
            .map(({ id }) => id);
          const below = downstreamOf(roots, {
            jobs: graph.jobs,
            members: selection.only === true ? [] : graph.members,
          });
          const { jobs } = selectJobs(selection, { jobs: graph.jobs, below, fingerprints });
          const expected = graph.jobs.filter((_, place) => isSelected(selection, graph, place, fingerprints));
          expect(jobs.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
          chosen += jobs.length;
        },
      ),
      { numRuns: courses(1000) },
    );
    expect(chosen).toBeGreaterThan(courses(300));
  });

  test('means every job of a name, and one of a label; what exists nowhere is unknown', () => {
    const jobs: SelectableJob[] = [
      { id: 1, name: 'p', scope: 'l[0]', status: 'failed' },
      { id: 2, name: 'p', scope: 'l[1]', status: 'failed' },
      { id: 3, name: 'q', scope: '', status: 'failed' },
    ];
    const select = (selection: Selection) =>
      selectJobs(selection, { jobs, below: new Set(), fingerprints: new Map() });
    expect(select({ jobs: ['p'] })).toMatchObject({ jobs: [{ id: 1 }, { id: 2 }], named: new Set([1, 2]) });
    expect(select({ jobs: ['p@l[1]', 3] })).toMatchObject({ jobs: [{ id: 2 }, { id: 3 }] });
    expect(select({ jobs: ['x', 9], patterns: ['q', 'y*'] })).toMatchObject({ unknown: ['x', '9', 'y*'] });
    // A filter can leave named jobs out: they are not meant one by one then.
    expect(select({ jobs: ['q'], statuses: ['failed'] }).named).toEqual(new Set());
  });
});

describe('what is downstream', () => {
  test('of a barrier of many jobs is found without walking it once per member', () => {
    const count = 20_000;
    const jobs = Array.from({ length: 2 * count }, (_, id) => ({
      id,
      dependency_set_id: id < count ? null : 1,
    }));
    const members = jobs.slice(0, count).map(({ id }) => ({ set_id: 1, job_id: id }));
    expect(
      downstreamOf(
        jobs.slice(0, count).map(({ id }) => id),
        { jobs, members },
      ).size,
    ).toBe(2 * count);
  });
});

describe('jobs that start over', () => {
  const job = (id: number, set: number | null, cancel = 1) => ({
    id,
    dependency_set_id: set,
    cancel_on_failure: cancel,
  });
  const member = (job_id: number, settled: 'succeeded' | 'failed' | 'disabled', kind = 0) => ({
    set_id: 9,
    job_id,
    kind,
    settled,
  });

  test.each([
    ['a dependency that failed', [job(3, 9)], [member(1, 'failed')], 1],
    ['a dependency that is disabled', [job(3, 9)], [member(1, 'disabled')], 1],
    ['nothing, if the dependency starts over, too', [job(1, null), job(3, 9)], [member(1, 'failed')], 0],
    [
      'nothing, if another one has to run first',
      [job(1, null), job(3, 9)],
      [member(1, 'succeeded'), member(2, 'failed')],
      0,
    ],
    ['nothing, if it runs after failures', [job(3, 9, 0)], [member(1, 'failed')], 0],
    [
      'nothing, if one of several is enough',
      [job(3, 9)],
      [member(1, 'failed', 1), member(2, 'succeeded', 1)],
      0,
    ],
  ])('lack %s', (_, jobs, members, count) => {
    expect(lackingDependencies(jobs, members)).toHaveLength(count);
  });
});

describe('names that may have been meant', () => {
  const names = ['prepare', 'sim_1', 'sim_2', 'sim_3', 'sim_4', 'Report'];

  test.each([
    ['prepair', ['prepare']],
    ['report', ['Report']],
    ['smi_*', ['sim_1', 'sim_2', 'sim_3']],
    ['*IM_*', ['sim_1', 'sim_2', 'sim_3']],
    ['zzzzzz', []],
    ['*', []],
    ['', []],
  ])('by %s are %j', (wanted, expected) => {
    expect(nearNames(wanted, names)).toEqual(expected);
  });
});
