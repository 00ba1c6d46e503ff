import { describe, expect, test } from 'vitest';
import { type Validation, validationView } from '../../src/cli/texts/spec/validation-text.ts';
import { table } from './printed.ts';

describe('a validation', () => {
  const validation: Validation = {
    file: 'a.yaml',
    valid: false,
    name: null,
    jobs: 0,
    problems: [
      { line: 3, column: 5, path: 'jobs[0].comand', message: 'unknown key; did you mean "command"?' },
      { line: 9, column: 1, path: '', message: 'no jobs' },
    ],
    warnings: [],
    notes: [],
  };

  test('shows every problem with its place and how many there are', () => {
    expect(table(validationView, validation).split('\n')).toEqual([
      'a.yaml:3:5: jobs[0].comand: unknown key; did you mean "command"?',
      'a.yaml:9:1: no jobs',
      'a.yaml: 2 problems',
    ]);
  });

  test('shows which keys have no effect', () => {
    const valid: Validation = {
      ...validation,
      valid: true,
      name: 'demo',
      jobs: 1,
      problems: [],
      notes: [{ line: 4, column: 3, path: 'slurm_schedulers', message: 'not used' }],
    };
    expect(table(validationView, valid).split('\n')).toEqual([
      'a.yaml:4:3: slurm_schedulers: note: not used',
      'a.yaml: valid, workflow demo with 1 job',
    ]);
  });
});
