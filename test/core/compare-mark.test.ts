import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareMark, staleReason } from '../../src/core/files/compare-mark.ts';
import { CHANGED_MEANWHILE, type FileMark, type FileState, MISSING } from '../../src/core/files/file-mark.ts';
import type { StaleReason } from '../../src/core/files/stale-reason.ts';
import { planRestart, type RestartableJob } from '../../src/core/rerun/plan-restart.ts';
import { courses } from '../property-runs.ts';

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);
const file: FileState = { kind: 'file', size: 3, mtime_ns: '100', hash: A, problem: null };
const unread = { ...file, hash: null };
const input: FileMark = { path: 'x', role: 'input', ...file };
const output: FileMark = { ...input, role: 'output' };

describe('a file compared with its mark', () => {
  test.each<[string, FileState, ReturnType<typeof compareMark>]>([
    ['with size and time as they were is the same, unread', unread, 'same'],
    ['of another size changed, unread', { ...unread, size: 4 }, 'changed'],
    ['of another time needs its hash', { ...unread, mtime_ns: '101' }, 'unknown'],
    ['that was touched is the same', { ...file, mtime_ns: '101' }, 'same'],
    ['of the same size and another content changed', { ...file, mtime_ns: '101', hash: B }, 'changed'],
    [
      'that cannot be read any more changed',
      { ...unread, mtime_ns: '9', problem: 'it cannot be read' },
      'changed',
    ],
    ['that became a directory changed', { ...file, kind: 'directory' }, 'changed'],
    ['that is gone is missing', MISSING, 'missing'],
  ])('%s', (_, now, expected) => {
    expect(compareMark(input, now)).toBe(expected);
  });

  test('is compared by size and time only, where no hash was taken', () => {
    const large = { ...input, hash: null };
    expect(compareMark(large, unread)).toBe('same');
    expect(compareMark(large, { ...unread, mtime_ns: '101' })).toBe('changed');
    const changed = { ...input, hash: null, problem: CHANGED_MEANWHILE };
    expect(compareMark(changed, { ...unread, mtime_ns: '101' })).toBe('changed');
  });

  test('is compared by its existence, where nothing else is known', () => {
    const unknown = { ...input, kind: 'other' as const, size: null, mtime_ns: null, hash: null };
    expect(compareMark(unknown, file)).toBe('same');
    expect(compareMark(unknown, MISSING)).toBe('missing');
    expect(compareMark({ ...input, ...MISSING }, MISSING)).toBe('same');
    expect(compareMark({ ...input, ...MISSING }, file)).toBe('appeared');
  });

  test('makes its job out of date by what it is for the job', () => {
    const reasons = (mark: FileMark) =>
      (['same', 'changed', 'missing', 'appeared', 'unknown'] as const).map(
        (difference) => staleReason(mark, difference)?.kind ?? null,
      );
    expect(reasons(input)).toEqual([null, 'input_changed', null, 'input_changed', null]);
    expect(reasons(output)).toEqual([null, 'output_changed', 'output_missing', null, null]);
  });
});

describe('the jobs that start over', () => {
  const STATUSES = ['completed', 'failed', 'canceled', 'disabled', 'pending_failed'] as const;
  const graph = fc.array(
    fc.record({
      status: fc.constantFrom(...STATUSES),
      isStale: fc.boolean(),
      after: fc.array(fc.nat(), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 12 },
  );
  const stale = (path: string): StaleReason => ({ kind: 'input_changed', path });

  test('are those that are out of date or did not succeed and all below them, and no others', () => {
    fc.assert(
      fc.property(graph, (drafts) => {
        const jobs: RestartableJob[] = drafts.map(({ status }, index) => ({
          id: index + 1,
          name: `j${index + 1}`,
          scope: '',
          status,
          dependency_set_id: index + 1,
        }));
        const above = drafts.map(({ after }, index) =>
          index === 0 ? [] : [...new Set(after.map((each) => (each % index) + 1))],
        );
        const members = above.flatMap((ids, index) => ids.map((job_id) => ({ set_id: index + 1, job_id })));
        const old = new Map(drafts.flatMap(({ isStale }, at) => (isStale ? [[at + 1, stale('x')]] : [])));
        const reasons = planRestart(jobs, members, old as Map<number, StaleReason>);
        drafts.forEach(({ status, isStale }, at) => {
          const isOver = isStale || !['completed', 'disabled'].includes(status);
          const isBelow = above[at]!.some((id) => reasons.has(id));
          expect(reasons.has(at + 1)).toBe(isOver || isBelow);
          const reason = reasons.get(at + 1);
          if (isStale) expect(reason).toEqual(stale('x'));
          if (reason?.kind === 'upstream') expect(above[at]!.map((id) => `j${id}`)).toContain(reason.job);
          if (reason?.kind === 'unsuccessful' && status === 'canceled') expect(isBelow).toBe(false);
          if (['failed', 'pending_failed'].includes(status)) expect(reason?.kind).not.toBe('upstream');
        });
      }),
      { numRuns: courses(500) },
    );
  });
});
