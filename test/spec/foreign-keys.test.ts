import { describe, expect, it } from 'vitest';
import { specJsonSchema } from '../../src/spec/json-schema.ts';
import { FOREIGN_KEYS } from '../../src/spec/schema/reading/foreign-keys.ts';
import { problemsOf } from './spec-text.ts';

const messageAt = (spec: object, path: string) =>
  problemsOf(JSON.stringify(spec), 'flow.json').find((problem) => problem.path === path)?.message;

const ofJob = (key: string, value: unknown) =>
  messageAt({ jobs: [{ name: 'a', command: 'x', [key]: value }] }, `jobs[0].${key}`);
const ofStep = (key: string, value: unknown) =>
  messageAt({ steps: { a: { exec: 'x', [key]: value } } }, `steps.a.${key}`);

describe('keys of other systems', () => {
  it.each<[string, unknown, string]>([
    ['needs', ['b'], 'depends_on: [JOB]'],
    ['run', 'x', 'command: TEXT'],
    ['matrix', {}, 'parameters: {i: [a, b]} and {i} in the texts'],
    ['mem', '2g', 'memory: 2g'],
    ['cpus', '2', 'num_cpus: N'],
    ['walltime', '1h', 'timeout: 1h'],
    ['disk', '2g', 'resource_requirements: {num_cpus: 1, memory: 2g, runtime: 1h}'],
    ['retries', 3, 'retry: {max_retries_failure: N}'],
    ['timeout-minutes', 3, 'timeout: 30m'],
    ['on_finish', {}, 'on_success and on_fail, or post for a script that runs after every attempt'],
    ['guarantee', 'x', 'fail_if: "CONDITION" at a step, or post: COMMAND'],
    ['working-directory', 'x', 'cwd: DIRECTORY'],
    ['retryStrategy', {}, 'retry: {max_retries_failure: N}'],
  ])('of a job: %s', (key, value, hint) => {
    expect(ofJob(key, value)).toBe(`unknown key "${key}"; write ${hint}`);
  });

  it.each<[string, unknown, string]>([
    ['needs', 'b', 'depends_on: [STEP]'],
    ['run', 'x', 'exec: TEXT'],
    ['on_finish', {}, 'on_success and on_fail, or post for a script that runs after every attempt'],
    ['assume', 'x', 'if: "CONDITION"'],
    ['continue-on-error', true, 'continue_on_failure: true'],
  ])('of a step: %s', (key, value, hint) => {
    expect(ofStep(key, value)).toBe(`unknown key "${key}"; write ${hint}`);
  });

  it('of a workflow, a retry, a rule and a requirement', () => {
    const spec = {
      max_parallelism: 2,
      failure_handlers: [{ name: 'h', rules: [{ exit_codes: [1], script: 'x' }] }],
      jobs: [{ name: 'a', command: 'x', retry: { limit: 2 }, resource_requirements: { cpus: 2 } }],
    };
    expect(messageAt(spec, 'max_parallelism')).toBe('unknown key "max_parallelism"; write max_parallel: N');
    expect(messageAt(spec, 'failure_handlers[0].rules[0].script')).toContain('write recovery_script: TEXT');
    expect(messageAt(spec, 'jobs[0].retry.limit')).toContain('write max_retries_failure: N');
    expect(messageAt(spec, 'jobs[0].resource_requirements.cpus')).toContain('write num_cpus: N');
  });

  it('leave room for a plain misspelling', () => {
    expect(ofJob('comand', 'x')).toBe('unknown key "comand"; did you mean "command"?');
  });

  it('are none of ours, and lead to keys that exist', () => {
    const { $defs } = specJsonSchema() as { $defs: Record<string, { properties: Record<string, unknown> }> };
    const every = new Set(Object.values($defs).flatMap(({ properties }) => Object.keys(properties)));
    const plain = (key: string) => key.toLowerCase().replace(/[-_]/g, '');
    for (const [object, hints] of Object.entries(FOREIGN_KEYS)) {
      // `dependsOn` leads to `depends_on`, which has the same letters.
      const own = Object.keys($defs[object]?.properties ?? {});
      expect(own.filter((key) => hints[plain(key)]?.includes(key) === false)).toEqual([]);
      const named = Object.values(hints).flatMap((hint) =>
        [...hint.matchAll(/\b([a-z_]+):/gi)].map(([, key]) => key!),
      );
      expect(named.filter((key) => /^[a-z]/.test(key) && key !== 'i' && !every.has(key))).toEqual([]);
    }
  });
});

describe('values of another shape', () => {
  it.each<[object, string, string]>([
    [
      { jobs: [{ name: 'a', command: 'x', retry: 3 }] },
      'jobs[0].retry',
      'expected an object with keys, got 3; write retry: {max_retries_failure: 3}',
    ],
    [
      { steps: { a: { exec: 'x', on_fail: { retry: 3 } } } },
      'steps.a.on_fail.retry',
      'expected an object with keys, got 3; write retry: {max: 3}',
    ],
    [
      { jobs: { build: { run: 'x' } } },
      'jobs',
      'expected a list, got an object with keys; write - name: NAME for each job, or `steps` for an object of steps',
    ],
    [
      { steps: [{ run: 'x' }] },
      'steps',
      'expected an object with keys, got a list; write each step under its name, as in build: {exec: make}',
    ],
    [
      { env: ['A=b'], jobs: [{ name: 'a', command: 'x' }] },
      'env',
      'expected an object with keys, got a list; write env: {NAME: value}',
    ],
  ])('%j', (spec, path, message) => {
    expect(messageAt(spec, path)).toBe(message);
  });
});
