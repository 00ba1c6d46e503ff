import { describe, expect, it } from 'vitest';
import { DEFAULT_JOB_CONFIG } from '../../src/core/model/workflow-model.ts';
import { DEFAULT_RETRY } from '../../src/core/policy/retry-policy.ts';
import { DEFAULT_ROUTING } from '../../src/core/policy/routes.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { formatProblem } from '../../src/spec/problem.ts';
import { jobNamed, messagesOf, modelOf, warningsOf } from './spec-text.ts';

describe('the model', () => {
  it('has every default filled in', () => {
    expect(modelOf('jobs: [{name: a, command: echo}]')).toEqual({
      name: 'flow',
      description: null,
      user: null,
      project: null,
      metadata: {},
      variables: {},
      limits: {},
      maxParallel: null,
      claimOrder: 'none',
      usePendingFailed: false,
      failureHandlers: [],
      actions: [],
      userData: [],
      routing: DEFAULT_ROUTING,
      requirements: [
        {
          name: null,
          cpus: null,
          memory_bytes: null,
          gpus: 0,
          nodes: 1,
          resources: {},
          labels: [],
          runtime_ms: null,
        },
      ],
      dependencySets: [],
      dependencyReasons: [],
      jobs: [
        {
          name: 'a',
          scope: '',
          priority: 0,
          cancelOnBlockingJobFailure: true,
          dependencySet: null,
          requirement: 0,
          config: {
            ...DEFAULT_JOB_CONFIG,
            command: 'echo',
          },
        },
      ],
    });
  });

  it('holds everything that was written', () => {
    const model = modelOf(`
name: all
description: d
user: u
project: p
metadata: { ticket: 7 }
variables: { target: prod, deep: { port: 80 } }
env: { A: "1", B: x, N: 5 }
limits: { licence: 4 }
max_parallel: 3
resource_requirements: [{ name: big, num_cpus: 4, memory: 2g, num_gpus: 1, runtime: 10m }]
jobs:
  - name: a
    command: "deploy \${variables.target}:\${variables.deep.port} $HOME"
    env: { B: "y-\${variables.target}", C: true }
    cwd: sub
    isolate: true
    ports: [http, admin]
    resource_requirements: big
    resources: { licence: 2 }
    labels: [fast]
    timeout: 20
    deadline: 1h
    scheduling_timeout: PT5M
    limit_resources: false
    priority: -3
    cancel_on_blocking_job_failure: false
`);
    expect(model).toMatchObject({
      name: 'all',
      description: 'd',
      user: 'u',
      project: 'p',
      metadata: { ticket: 7 },
      limits: { licence: 4 },
      maxParallel: 3,
      requirements: [
        {
          name: 'big',
          cpus: 4,
          memory_bytes: 2 * 1024 ** 3,
          gpus: 1,
          nodes: 1,
          resources: { licence: 2 },
          labels: ['fast'],
          runtime_ms: 20_000,
        },
      ],
    });
    expect(model.jobs[0]).toMatchObject({
      priority: -3,
      cancelOnBlockingJobFailure: false,
      config: {
        command: 'deploy prod:80 $HOME',
        env: { A: '1', B: 'y-prod', C: 'true', N: '5' },
        cwd: 'sub',
        isolate: true,
        ports: ['http', 'admin'],
        timeout_ms: 20_000,
        deadline_ms: 3_600_000,
        scheduling_timeout_ms: 300_000,
        limit_resources: false,
      },
    });
  });

  it('takes bare durations as seconds in jobs and milliseconds in steps', () => {
    expect(modelOf('jobs: [{name: a, command: x, timeout: 5}]').jobs[0]!.config.timeout_ms).toBe(5000);
    expect(modelOf('steps: {a: {exec: x, timeout: 5}}').jobs[0]!.config.timeout_ms).toBe(5);
  });

  it('takes the smaller of runtime and timeout', () => {
    const timeout = (more: string) =>
      modelOf(`jobs: [{name: a, command: x, resource_requirements: {runtime: 10}, ${more}}]`).jobs[0]!.config
        .timeout_ms;
    expect([timeout(''), timeout('timeout: 5'), timeout('timeout: 20')]).toEqual([10_000, 5000, 10_000]);
  });

  it.each([
    ['alone', '{num_cpus: 2, memory: 1k, num_gpus: 1}', { cpus: 2, memory_bytes: 1024, gpus: 1, name: null }],
    [
      'over a name',
      '{resource_requirements: big, memory: 1k}',
      { cpus: 4, memory_bytes: 1024, gpus: 0, name: 'big' },
    ],
    [
      'beside an object',
      '{resource_requirements: {num_cpus: 3}, memory: 1k}',
      { cpus: 3, memory_bytes: 1024, gpus: 0, name: null },
    ],
  ])('takes what a job needs from the job itself: %s', (_, keys, expected) => {
    const model = modelOf(
      `resource_requirements: [{name: big, num_cpus: 4, memory: 9k}]\njobs: [{name: a, command: x, ${keys.slice(1)}, {name: b, command: x, resource_requirements: big}]`,
    );
    expect(model.requirements[model.jobs[0]!.requirement]).toMatchObject(expected);
    expect(model.requirements[model.jobs[1]!.requirement]).toMatchObject({ cpus: 4, memory_bytes: 9 * 1024 });
  });

  it('does not take a need from two places of one job', () => {
    expect(
      messagesOf('jobs: [{name: a, command: x, resource_requirements: {memory: 1k}, memory: 2k}]'),
    ).toEqual([
      'flow.yaml:1:75: jobs[0].memory: `memory` is also in its `resource_requirements`; keep one of them',
    ]);
  });

  it('has a requirement for each set of labels and each runtime, in whatever order labels were written', () => {
    const { requirements, jobs } = modelOf(`
jobs:
  - { name: a, command: x, labels: [gpu, big, gpu], timeout: 5 }
  - { name: b, command: x, labels: [big, gpu], timeout: 5 }
  - { name: c, command: x, labels: [big], timeout: 5 }
  - { name: d, command: x, labels: [big], timeout: 6 }
  - { name: e, command: x }
`);
    expect(jobs.map(({ requirement }) => requirement)).toEqual([0, 0, 1, 2, 3]);
    expect(requirements.map(({ labels, runtime_ms }) => [labels, runtime_ms])).toEqual([
      [['big', 'gpu'], 5000],
      [['big'], 5000],
      [['big'], 6000],
      [[], null],
    ]);
  });

  it('stores equal requirements once', () => {
    const model = modelOf(`
resource_requirements: [{ name: r, num_cpus: 1 }]
jobs:
  - { name: "a{i}", command: x, resource_requirements: r, parameters: { i: "1:50" } }
  - { name: b, command: x, resource_requirements: { num_cpus: 1 } }
  - { name: c, command: x, resource_requirements: { num_cpus: 1 } }
`);
    expect(model.requirements.map(({ name, cpus }) => [name, cpus])).toEqual([
      ['r', 1],
      [null, 1],
    ]);
    expect(jobNamed(model, 'b').requirement).toBe(jobNamed(model, 'c').requirement);
  });

  it('knows steps with their outputs, tags and templates', () => {
    const model = modelOf(`
version: "2.0"
variables: { v: 1 }
steps:
  a: { type: command, exec: ls, output: lines, tags: [t], group: g, env: { X: y } }
  b: { exec: "echo {{ outputs.a | size }} {{ variables.v }}" }
`);
    expect(model.variables).toEqual({ v: 1 });
    expect(jobNamed(model, 'a').config).toMatchObject({
      template: false,
      output: 'lines',
      tags: ['t'],
      group: 'g',
      env: { X: 'y' },
    });
    expect(jobNamed(model, 'b').config).toMatchObject({ template: true, output: 'auto' });
  });

  it('warns of a timeout of a step that is a small number: it is milliseconds', () => {
    expect(warningsOf('steps: {a: {exec: "true", timeout: 30}, b: {exec: "true", timeout: 30s}}')).toEqual([
      'flow.yaml:1:36: steps.a.timeout: a number is milliseconds in a step; write 30s if seconds are meant',
    ]);
  });

  it('reports parameters and requirements that nothing uses', () => {
    const result = loadSpec(
      'parameters: {i: "1:2"}\nresource_requirements: [{name: r}]\njobs: [{name: a, command: x}]',
      'flow.yaml',
    );
    expect(result.ok && result.warnings.map(formatProblem)).toEqual([
      'flow.yaml:1:17: parameters.i: no job or file uses this parameter (`use_parameters`)',
      'flow.yaml:2:25: resource_requirements[0]: no job uses "r"',
    ]);
  });
});

describe('retry', () => {
  const retry = (text: string, options = {}) => modelOf(text, options).jobs[0]!.config.retry;

  it('fills in from the job, the spec, the configuration and the built-in values, in this order', () => {
    expect(
      retry(
        `retry_defaults: { max_retries_failure: 2, max_delay: 90, jitter: full }
jobs: [{name: a, command: x, retry: {max_retries_failure: 5, initial_delay: 1.5, retry_on_exit_codes: [75], retry_on_timeout: false}}]`,
        { retryDefaults: { max_retries_preemption: 7, max_retries_failure: 9, max_retry_delay_ms: 1 } },
      ),
    ).toEqual({
      ...DEFAULT_RETRY,
      max_retries_failure: 5,
      max_retries_preemption: 7,
      initial_retry_delay_ms: 1500,
      max_retry_delay_ms: 90_000,
      retry_on_exit_codes: [75],
      retry_on_timeout: false,
      jitter: 'full',
    });
  });

  it('takes 0 as a value, not as absent', () => {
    expect(
      retry(
        'retry_defaults: {max_retries_failure: 3, initial_delay: 5}\njobs: [{name: a, command: x, retry: {max_retries_failure: 0, initial_retry_delay_ms: 0}}]',
      ),
    ).toMatchObject({ max_retries_failure: 0, initial_retry_delay_ms: 0 });
  });

  it('lets a job use the other spelling than the defaults', () => {
    expect(
      retry(
        'retry_defaults: {initial_delay: 5}\njobs: [{name: a, command: x, retry: {initial_retry_delay_ms: 7}}]',
      ),
    ).toMatchObject({ initial_retry_delay_ms: 7 });
  });
});
