import { describe, expect, it } from 'vitest';
import { specJsonSchema } from '../../src/spec/json-schema.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { dependenciesOf, jobNamed, messagesOf, modelOf } from './spec-text.ts';

const JOBS = 'jobs: [{name: a, command: x}]';

describe('null', () => {
  it('is the same as leaving an optional key out, at every depth', () => {
    const text = `name: n
description: null
parameters: null
steps: null
files: null
slurm_schedulers: [{name: s, account: null, gres: null}]
failure_handlers: [{name: h, rules: [{exit_codes: [1], recovery_script: null, max_retries: null}]}]
actions: null
jobs:
  - name: a
    command: x
    invocation_script: null
    depends_on: null
    input_files:
    retry: {max_retries_failure: 2, jitter: null}
    resource_requirements: {num_cpus: 2, memory: null}
    on_fail: null
    scheduler: null
    stdio: null
`;
    const model = modelOf(text);
    const [job] = model.jobs;
    expect(job!.config).toMatchObject({ command: 'x', on_fail: null, retry: { max_retries_failure: 2 } });
    expect(model.requirements[job!.requirement]).toMatchObject({ cpus: 2, memory_bytes: null });
    expect(model.failureHandlers[0]!.rules[0]).toMatchObject({ recoveryScript: null, maxRetries: 3 });
  });

  it('is a mistake where a key must be given, and in lists and maps of values', () => {
    expect(messagesOf('jobs: [{name: a, command: null}]')).toEqual([
      'flow.yaml:1:27: jobs[0].command: expected a text, got nothing',
    ]);
    expect(messagesOf('env: {A: null}\njobs: [{name: a, command: x, labels: [null]}]')).toHaveLength(2);
    expect(messagesOf('name: x\njobs: null')).toEqual([
      'flow.yaml:1:1: there is nothing to run: add `jobs` (a list) or `steps` (an object)',
    ]);
  });

  it('stays where it is a value', () => {
    const model = modelOf(`metadata: {a: null}\nuser_data: [{name: d, data: null}]\n${JOBS}`);
    expect(model.metadata).toEqual({ a: null });
    expect(model.userData).toEqual([{ name: 'd', data: null, isEphemeral: false }]);
  });

  it('is in the JSON Schema of optional keys, and not of required ones', () => {
    const job = (
      specJsonSchema().$defs as Record<string, { properties: Record<string, { anyOf?: unknown[] }> }>
    ).Job!.properties;
    expect(job.depends_on!.anyOf).toContainEqual({ type: 'null' });
    expect(job.priority!.anyOf).toContainEqual({ type: 'null' });
    expect(job.command!.anyOf ?? []).not.toContainEqual({ type: 'null' });
  });
});

describe('metadata', () => {
  it.each([
    [`'{"team": "ml"}'`, { team: 'ml' }],
    ['plain words', 'plain words'],
    [`'[1]'`, '[1]'],
    ['{a: 1}', { a: 1 }],
  ])('may be a text: %s', (written, expected) => {
    expect(modelOf(`metadata: ${written}\n${JOBS}`).metadata).toEqual(expected);
  });
});

describe('patterns of files', () => {
  it('have a second spelling, which adds to the first', () => {
    const model = modelOf(`files:
  - {name: in_1, path: in/1}
  - {name: in_2, path: in/2}
  - {name: other, path: in/3}
jobs:
  - {name: w, command: x, output_file_regexes: "in_.", output_files_regexes: [other]}
  - {name: r, command: x, input_file_regexes: ["in_1"], input_files_regexes: "in_2"}
`);
    expect(jobNamed(model, 'w').config.output_files).toEqual(['in/3', 'in/1', 'in/2']);
    expect(jobNamed(model, 'r').config.input_files).toEqual(['in/2', 'in/1']);
    expect(dependenciesOf(model, 'r')).toEqual(['w']);
  });

  it('are checked at their own place', () => {
    expect(messagesOf('jobs:\n  - {name: r, command: x, input_file_regexes: ["("]}')).toEqual([
      expect.stringContaining('flow.yaml:2:48: jobs[0].input_file_regexes[0]: '),
    ]);
  });
});

describe('invocation_script', () => {
  it('stands in front of the command, with parameters, files and values replaced', () => {
    const model = modelOf(`files: [{name: f, path: f.txt}]
user_data: [{name: d, data: 1}]
jobs:
  - name: a_{i}
    command: run {i}
    invocation_script: |
      #!/bin/bash
      set -e
      export N={i} F=\${files.input.f} D=\${user_data.input.d}
    parameters: {i: "1:2"}
`);
    expect(jobNamed(model, 'a_2').config).toMatchObject({
      command: '#!/bin/bash\nset -e\nexport N=2 F=f.txt D=${user_data.input.d}\n run 2',
      input_files: ['f.txt'],
      user_data: { inputs: ['d'], outputs: [], optional: [] },
    });
    expect(
      modelOf('jobs: [{name: a, command: x y, invocation_script: ./wrap.sh}]').jobs[0]!.config.command,
    ).toBe('./wrap.sh x y');
  });

  it('that ends in a comment would take the command with it: a warning', () => {
    const warnings = (script: string) => {
      const loaded = loadSpec(
        JSON.stringify({ jobs: [{ name: 'a', command: 'x', invocation_script: script }] }),
        'f.json',
      );
      return loaded.ok ? loaded.warnings.map(({ path }) => path) : loaded.problems;
    };
    expect(warnings('#!/bin/bash\\nset -e')).toEqual(['jobs[0].invocation_script']);
    expect(warnings('#!/bin/bash\nset -e\n')).toEqual([]);
  });
});

describe('execution_config and resource_monitor', () => {
  it('set what jobs do not set themselves', () => {
    const model = modelOf(`execution_config:
  limit_resources: false
  termination_signal: usr1
  sigterm_lead_seconds: 45
  stdio: {mode: combined, delete_on_success: true}
resource_monitor: {enabled: true, granularity: time_series, sample_interval_seconds: 0.5}
jobs:
  - {name: a, command: x}
  - {name: b, command: x, limit_resources: true, stdio: {mode: none}}
`);
    const common = { end_signal: 'SIGUSR1', grace_ms: 45_000, sample_ms: 500 };
    expect(jobNamed(model, 'a').config).toMatchObject({
      ...common,
      limit_resources: false,
      stdio: { mode: 'combined', delete_on_success: true },
    });
    expect(jobNamed(model, 'b').config).toMatchObject({
      ...common,
      limit_resources: true,
      stdio: { mode: 'none', delete_on_success: false },
    });
  });

  it.each([
    ['{granularity: time_series}', 10_000],
    ['{granularity: summary}', null],
    ['{enabled: false, granularity: time_series}', null],
    ['{enabled: false, jobs: {enabled: true, granularity: time_series}, sample_interval_seconds: 3}', 3000],
    ['{granularity: time_series, jobs: {enabled: false, granularity: time_series}}', null],
  ])('resource_monitor: %s samples every %s ms', (monitor, expected) => {
    expect(modelOf(`resource_monitor: ${monitor}\n${JOBS}`).jobs[0]!.config.sample_ms).toBe(expected);
    expect(modelOf(`resource_monitor: ${monitor}\nsteps: {a: {exec: x}}`).jobs[0]!.config.sample_ms).toBe(
      expected,
    );
  });

  it.each([
    ['execution_config: {termination_signal: SIGNOPE}', '"SIGNOPE" is not a signal'],
    [
      'execution_config: {stdio: {mode: both}}',
      'expected one of separate, combined, no_stdout, no_stderr, none',
    ],
    ['execution_config: {sigterm_lead: 3}', 'unknown key "sigterm_lead"'],
    ['jobs_sort_method: memory', 'expected one of none, gpus_runtime_memory, gpus_memory_runtime'],
    ['resource_monitor: {sample_interval_seconds: 0}', 'must be at least 0.25'],
    ['resource_monitor: {jobs: {interval: 3}}', 'unknown key "interval"'],
  ])('%s is refused', (written, message) => {
    expect(messagesOf(`${written}\n${JOBS}`).join('\n')).toContain(message);
  });

  it('execution_config and jobs_sort_method are for jobs: steps would ignore them', () => {
    const steps = 'steps: {a: {exec: x}}';
    expect(messagesOf(`execution_config: {limit_resources: false}\n${steps}`)).toEqual([
      'flow.yaml:1:1: execution_config: `execution_config` is for `jobs`; steps do not use it',
    ]);
    expect(messagesOf(`jobs_sort_method: none\n${steps}`)).toHaveLength(1);
  });
});
