import { describe, expect, test } from 'vitest';
import { messagesOf, modelOf } from './spec-text.ts';

const jobs = (job: string, others = '') => `jobs:\n  - {command: "true", ${job}}\n${others}`;

describe('fail_fast', () => {
  test('holds for the jobs of one sweep', () => {
    const spec = jobs(
      'name: "a_{i}", parameters: {i: "1:2"}, fail_fast: true',
      '  - {name: "b_{i}", command: x, parameters: {i: "1:2"}, fail_fast: false}\n',
    );
    expect(modelOf(spec).jobs.map(({ name, config }) => [name, config.fail_fast])).toEqual([
      ['a_1', 'a_{i}'],
      ['a_2', 'a_{i}'],
      ['b_1', null],
      ['b_2', null],
    ]);
  });

  test.each([
    ['name: a, fail_fast: true', 'there is no sweep to cancel'],
    ['name: a, fail_fast: false', 'there is no sweep to cancel'],
    ['name: all, parameters: {i: "1:2"}, fail_fast: true', 'all expansions of "all" have one name'],
    ['name: "a_{i}", parameters: {i: "1:2"}, fail_fast: true, on_call: true', '"a_{i}" is on call'],
    ['name: "a_{i}", parameters: {i: "1:2"}, fail_fast: soon', 'expected true or false'],
  ])('is refused for %s', (job, message) => {
    const [first, ...others] = messagesOf(jobs(job));
    expect(first).toContain(message);
    expect(first).toMatch(/^flow\.yaml:2:/);
    expect(others).toEqual([]);
  });
});
