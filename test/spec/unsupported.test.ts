import { describe, expect, it } from 'vitest';
import { LATER_KEYS } from '../../src/spec/check/find-unsupported.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { jobSchema } from '../../src/spec/schema/job-schema.ts';
import { stepSchema } from '../../src/spec/schema/step-schema.ts';
import { workflowSchema } from '../../src/spec/schema/workflow-schema.ts';

/** Keys that reach the model; each is shown to do so by a test of the model, dependencies or sweeps. */
const MODELLED = {
  workflow:
    'version name description user project metadata parameters variables env files user_data resource_requirements limits max_parallel failure_handlers use_pending_failed retry_defaults order actions jobs steps',
  job: 'name command depends_on depends_on_regexes input_files output_files input_files_regexes output_files_regexes input_user_data output_user_data input_user_data_regexes output_user_data_regexes resource_requirements resources failure_handler retry post labels env cwd isolate ports timeout deadline scheduling_timeout limit_resources priority cancel_on_blocking_job_failure parameters parameter_mode use_parameters',
  step: 'type exec depends_on env timeout tags group output retry failure_handler post',
};

/** Only some values of these ask for a later version; the others are modelled. */
const BOTH = ['resource_requirements'];

function unsupported(text: string): string[] {
  const result = loadSpec(text, 'flow.yaml');
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.unsupported.map(({ path, line, column, feature }) => `${line}:${column} ${path}: ${feature}`);
}

describe('nothing is accepted and ignored', () => {
  it.each([
    ['workflow', workflowSchema],
    ['job', jobSchema],
    ['step', stepSchema],
  ] as const)('every key of a %s is modelled or refused by run', (kind, schema) => {
    const modelled = MODELLED[kind].split(' ');
    const later = Object.keys(LATER_KEYS[kind]);
    expect(later.filter((key) => modelled.includes(key) && !BOTH.includes(key))).toEqual([]);
    expect([...new Set([...modelled, ...later])].sort()).toEqual(Object.keys(schema.shape).sort());
  });
});

describe('what belongs to a later version', () => {
  it.each<[string, string[]]>([
    [
      'slurm_schedulers: [{name: s, account: a, walltime: "04:00:00"}]\nslurm_defaults: {qos: high}\njobs: [{name: a, command: x, scheduler: s}]',
      ['1:1 slurm_schedulers: Slurm', '2:1 slurm_defaults: Slurm', '3:30 jobs[0].scheduler: Slurm'],
    ],
    [
      'actions: [{trigger_type: on_workflow_start, action_type: run_commands, commands: [x], persistent: true}, {trigger_type: on_workflow_start, action_type: schedule_nodes}]\njobs: [{name: a, command: x}]',
      ['1:87 actions[0].persistent: actions that happen again', '1:140 actions[1].action_type: Slurm'],
    ],
    [
      'resource_requirements: [{name: r, num_nodes: 2}]\njobs: [{name: a, command: x, resource_requirements: r}, {name: b, command: x, resource_requirements: {num_nodes: 3}}]',
      [
        '1:35 resource_requirements[0].num_nodes: jobs over several nodes',
        '2:79 jobs[1].resource_requirements: jobs over several nodes',
      ],
    ],
    [
      'resource_monitor: {enabled: true}\njobs: [{name: a, command: x}]',
      ['1:1 resource_monitor: the resource monitor'],
    ],
    [
      'steps:\n  a: {exec: x, forEach: true}\n  b: {exec: x, fanout: reduce, depends_on: a}\n  c: {exec: x, depends_on: a|b}\n  d: {exec: x, if: "1 > 0", fail_if: "!output", continue_on_failure: true}',
      [
        '2:16 steps.a.forEach: forEach',
        '3:16 steps.b.fanout: forEach',
        '4:16 steps.c.depends_on: waiting for one of several steps',
        '5:16 steps.d.if: conditions',
        '5:29 steps.d.fail_if: conditions',
        '5:49 steps.d.continue_on_failure: continue_on_failure',
      ],
    ],
    [
      'steps:\n  a: {exec: x, on_fail: {retry: {max: 1}}}\n  b: {exec: x, on_success: {goto_js: "attempt === 1 ? \'a\' : null"}}',
      ['2:16 steps.a.on_fail: failure routing', '3:16 steps.b.on_success: failure routing'],
    ],
  ])('%s', (text, expected) => {
    expect(unsupported(text)).toEqual(expected);
  });

  it('is not what says that nothing is wanted', () => {
    expect(
      unsupported(
        'actions: []\nresource_monitor: {enabled: false}\nsteps: {a: {exec: x, forEach: false, fanout: map, on_fail: none, continue_on_failure: false}}',
      ),
    ).toEqual([]);
  });
});
