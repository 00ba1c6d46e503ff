import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { heldBackBy, untilGraphOf } from '../../src/core/selection/until.ts';
import { courses } from '../property-runs.ts';
import { modelOf } from '../spec/spec-text.ts';

const PIPELINE = `
jobs:
  - { name: "align_{i}", command: x, parameters: { i: "1:3" }, output_files: ["./out/{i}.bam"] }
  - { name: merge, command: x, parameters: { i: "1:3" }, input_files: ["./out/{i}.bam"], output_files: [all.bam], cwd: sub }
  - { name: plot, command: x, depends_on: [merge] }
`;

/** Names of the jobs that are run. */
function runOf(targets: string[], text = PIPELINE): string[] {
  const model = modelOf(text);
  const held = new Set(heldBackBy(targets, untilGraphOf(model)));
  return model.jobs.filter((_, index) => !held.has(index)).map(({ name }) => name);
}

describe('what a run until a target needs', () => {
  test.each([
    [['plot'], ['align_1', 'align_2', 'align_3', 'merge', 'plot']],
    [['merge'], ['align_1', 'align_2', 'align_3', 'merge']],
    [['align_2'], ['align_2']],
    [['align_*'], ['align_1', 'align_2', 'align_3']],
    [
      ['align_?', 'align_1'],
      ['align_1', 'align_2', 'align_3'],
    ],
    [['out/2.bam'], ['align_2']],
    [
      ['./out/../out/2.bam', 'align_1'],
      ['align_1', 'align_2'],
    ],
    [['sub/all.bam'], ['align_1', 'align_2', 'align_3', 'merge']],
    [['all.bam'], ['align_1', 'align_2', 'align_3', 'merge']],
  ])('is itself and what comes before it: %s', (targets, jobs) => {
    expect(runOf(targets)).toEqual(jobs);
  });

  test.each([
    ['mereg', '; did you mean "merge"?'],
    ['all.bma', '; did you mean "all.bam"?'],
    ['nothing_like_it', ''],
    ['nothing*', ''],
  ])('is an error for %s', (target, near) => {
    expect(() => runOf([target])).toThrow(
      `until: there is no job and no declared output file "${target}"${near}`,
    );
  });

  test('is an error for a step that runs only when it is called', () => {
    const text = 'steps:\n  a: { exec: x, on_fail: { run: [fix] } }\n  fix: { exec: x }\n';
    expect(() => runOf(['fix'], text)).toThrow('fix runs only when a route calls it');
    expect(runOf(['a'], text)).toEqual(['a', 'fix']);
  });

  test('is everything where code decides what is called', () => {
    const text = `steps:
  a: { exec: x, depends_on: [], on_fail: { run_js: "return ['b']" } }
  b: { exec: x, depends_on: [] }
  c: { exec: x, depends_on: [] }
`;
    expect(runOf(['a'], text)).toEqual(['a', 'b', 'c']);
    expect(runOf(['b'], text)).toEqual(['b']);
  });

  test('is the targets and all their ancestors, in any graph', () => {
    const graph = fc.array(fc.array(fc.nat(9), { maxLength: 3 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(graph, fc.array(fc.nat(9), { minLength: 1, maxLength: 3 }), (parents, picks) => {
        const after = parents.map((each, job) => [...new Set(each.filter((parent) => parent < job))]);
        const isNeeded = (job: number, target: number): boolean =>
          job === target || after[target]!.some((parent) => isNeeded(job, parent));
        const targets = picks.map((pick) => pick % after.length);
        const jobs = after.map((needs, job) => ({
          name: `j${job}`,
          command: 'x',
          depends_on: needs.map((parent) => `j${parent}`),
        }));
        const expected = jobs.filter((_, job) => targets.some((target) => isNeeded(job, target)));
        const found = runOf(
          targets.map((target) => `j${target}`),
          JSON.stringify({ jobs }),
        );
        expect(found).toEqual(expected.map(({ name }) => name));
      }),
      { numRuns: courses(200) },
    );
  });
});
