import { describe, expect, it } from 'vitest';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { dependenciesOf, modelOf } from './spec-text.ts';

const ROUTING_SKETCH = `version: "2.0"

routing:
  max_loops: 10              # per-scope cap on routing transitions
  defaults:
    on_fail:
      retry:
        max: 0
        backoff:
          mode: fixed
          delay_ms: 2000

steps:
  setup-env:
    type: command
    exec: "npm ci"

  unit-tests:
    type: command
    exec: "npm test"
    on_fail:
      retry: { max: 1, backoff: { mode: fixed, delay_ms: 3000 } }
      goto: setup-env
      goto_js: |
        // Provided variables: step, attempt, loop, error, foreach, outputs, pr, files
        if (error.message?.includes('module not found')) return 'setup-env';
        return null;

      run_js: |
        const fixes = [];
        if (error.stderr?.includes('lint')) fixes.push('lint-fix');
        return fixes;

  lint-fix:
    type: command
    exec: "npm run lint:fix"

  build:
    type: command
    exec: "npm run build"
    on_fail:
      run: [lint-fix]
      retry: { max: 1 }

  summary:
    type: command
    exec: "node scripts/summarize.js"
    on_success:
      run: [notify]
      goto: unit-tests
      goto_js: |
        if (/retest/i.test(outputs?.overview ?? '')) return 'unit-tests';
        return null;

  notify:
    type: command
    exec: "echo notify"
`;

describe('specs as their readers write them', () => {
  it('the routing sketch is valid, and its planned steps run in written order', () => {
    const model = modelOf(ROUTING_SKETCH);
    expect(model.jobs.map((job) => [job.name, dependenciesOf(model, job.name)])).toEqual([
      ['setup-env', []],
      ['unit-tests', ['setup-env']],
      ['lint-fix', []],
      ['build', ['unit-tests']],
      ['summary', ['build']],
      ['notify', []],
    ]);
  });

  it('the routing sketch asks for nothing that a later version does, and its routes are as it says', () => {
    expect(loadSpec(ROUTING_SKETCH, 'flow.yaml')).toMatchObject({ ok: true, notes: [], warnings: [] });
    const model = modelOf(ROUTING_SKETCH);
    expect(model.routing).toEqual({ maxLoops: 10, env: [], context: { pr: null, files: null } });
    expect(
      model.jobs.map(({ name, config }) => [name, config.on_call, config.on_fail, config.on_success]),
    ).toEqual([
      ['setup-env', false, null, null],
      [
        'unit-tests',
        false,
        {
          reattempt: { max: 1, mode: 'fixed', delay_ms: 3000 },
          run: [],
          run_js: expect.stringContaining("fixes.push('lint-fix')"),
          goto: 'setup-env',
          goto_js: expect.stringContaining('module not found'),
        },
        null,
      ],
      ['lint-fix', true, null, null],
      [
        'build',
        false,
        {
          reattempt: { max: 1, mode: 'fixed', delay_ms: 2000 },
          run: ['lint-fix'],
          run_js: null,
          goto: null,
          goto_js: null,
        },
        null,
      ],
      [
        'summary',
        false,
        null,
        { run: ['notify'], run_js: null, goto: 'unit-tests', goto_js: expect.stringContaining('retest') },
      ],
      ['notify', true, null, null],
    ]);
  });

  it.each([
    [
      'failure handlers',
      `name: simulation
failure_handlers:
  - name: simulation_recovery
    rules:
      - exit_codes: [10, 11]
        recovery_script: ./recover.sh
        max_retries: 3
      - match_all_exit_codes: true
        max_retries: 1
jobs:
  - name: my_job
    command: ./simulate
    failure_handler: simulation_recovery
`,
    ],
    [
      'AI-assisted recovery',
      `name: ml_training
use_pending_failed: true # Enable AI-assisted recovery
jobs:
  - name: train_model
    command: python train.py
`,
    ],
    [
      'Slurm allocations',
      `name: hpc
resource_requirements:
  - { name: standard, num_cpus: 4, memory: 8g, runtime: PT1H }
slurm_schedulers:
  - { name: main, account: abc, nodes: 2, walltime: "04:00:00", mem: 240G, gres: "gpu:2", extra: "--exclusive" }
actions:
  - trigger_type: on_workflow_start
    action_type: schedule_nodes
    scheduler: main
    scheduler_type: slurm
    num_allocations: 1
jobs:
  - { name: process, command: python process.py, resource_requirements: standard, scheduler: main }
`,
    ],
  ])('%s', (_, text) => {
    expect(loadSpec(text, 'flow.yaml')).toMatchObject({ ok: true });
  });
});
