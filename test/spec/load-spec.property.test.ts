import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { jobSpecSchema } from '../../src/spec/schema/job-schema.ts';
import { stepSchema } from '../../src/spec/schema/step-schema.ts';
import { workflowSpecSchema } from '../../src/spec/schema/workflow-schema.ts';
import { courses } from '../property-runs.ts';

const FILES = ['x.yaml', 'x.json', 'x.json5'];

/** Either a model or at least one problem with a place; never an exception. */
function expectAnswer(text: string): void {
  for (const file of FILES) {
    const result = loadSpec(text, file);
    if (result.ok) {
      expect(result.model.jobs.length).toBeGreaterThan(0);
    } else {
      expect(result.problems.length).toBeGreaterThan(0);
      for (const problem of result.problems) {
        expect(problem.line).toBeGreaterThan(0);
        expect(problem.column).toBeGreaterThan(0);
        expect(problem.message).not.toBe('');
      }
    }
  }
}

/** Objects with the right keys and values that are often of the right kind. */
const loose = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    'a',
    'b',
    'a{i}',
    '1:3',
    '10s',
    'x${variables.a}',
    '${files.input.a}',
    '{{ outputs.a }}',
    '((',
    '__proto__',
    'reduce',
    'a|b',
    true,
    'none',
  ),
  fc.dictionary(fc.constantFrom('run', 'goto', 'run_js', 'goto_js'), fc.constantFrom('a', 'b', 'c', '1 +'), {
    maxKeys: 3,
  }),
  fc.array(fc.constantFrom('a', 'b', 'c', 'a{i}'), { maxLength: 3 }),
  fc.record({ i: fc.constantFrom('1:3', '[a,b]', 'x') }),
);
const withKeys = (keys: string[]) => fc.dictionary(fc.constantFrom(...keys), loose, { maxKeys: 5 });
const job = fc
  .tuple(fc.constantFrom('a', 'b', 'c{i}', ''), withKeys(Object.keys(jobSpecSchema.shape)))
  .map(([name, more]) => ({ command: 'echo {i}', ...more, name }));
const step = withKeys(Object.keys(stepSchema.shape)).map((more) => ({ exec: 'echo', ...more }));
const spec = fc
  .tuple(
    withKeys(Object.keys(workflowSpecSchema.shape)),
    fc.oneof(
      fc.record({ jobs: fc.array(job, { maxLength: 4 }) }),
      fc.record({ steps: fc.dictionary(fc.constantFrom('a', 'b', 'c', '1', '__proto__'), step) }),
    ),
  )
  .map(([more, jobs]) => ({ ...more, ...jobs }));

describe('loadSpec never throws', () => {
  it('for any text', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), expectAnswer), {
      numRuns: courses(300),
    });
  });

  it('for any JSON value', () => {
    fc.assert(fc.property(fc.json(), expectAnswer), { numRuns: courses(300) });
  });

  it('for anything that looks like a spec', () => {
    fc.assert(
      fc.property(spec, (value) => expectAnswer(JSON.stringify(value))),
      { numRuns: courses(500) },
    );
  });
});
