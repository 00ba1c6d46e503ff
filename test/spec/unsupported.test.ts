import { describe, expect, it } from 'vitest';
import { LATER_KEYS } from '../../src/spec/check/find-unsupported.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { jobSchema } from '../../src/spec/schema/job-schema.ts';
import { stepSchema } from '../../src/spec/schema/step-schema.ts';
import { workflowSchema } from '../../src/spec/schema/workflow-schema.ts';

/** Keys that reach the model; each is shown to do so by a test of the model, dependencies, routes, scopes or sweeps. */
const MODELLED = {
  workflow:
    'version name description user project metadata parameters variables env files user_data resource_requirements limits max_parallel failure_handlers use_pending_failed retry_defaults routing order actions jobs steps',
  job: 'name command depends_on depends_on_regexes input_files output_files input_files_regexes output_files_regexes input_user_data output_user_data input_user_data_regexes output_user_data_regexes resource_requirements resources failure_handler retry post on_fail on_success on_call labels env cwd isolate ports timeout deadline scheduling_timeout limit_resources priority cancel_on_blocking_job_failure parameters parameter_mode use_parameters',
  step: 'type exec depends_on forEach fanout if fail_if env timeout tags group output continue_on_failure on_call retry failure_handler post on_fail on_success',
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
    ['workflow', workflowSchema, LATER_KEYS.workflow],
    ['job', jobSchema, LATER_KEYS.job],
    ['step', stepSchema, {}],
  ] as const)('every key of a %s is modelled or refused by run', (kind, schema, laterKeys) => {
    const modelled = MODELLED[kind].split(' ');
    const later = Object.keys(laterKeys);
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
  ])('%s', (text, expected) => {
    expect(unsupported(text)).toEqual(expected);
  });

  it('is not what says that nothing is wanted', () => {
    expect(unsupported('actions: []\nresource_monitor: {enabled: false}\nsteps: {a: {exec: x}}')).toEqual([]);
  });

  it('is not failure routing', () => {
    const text = `routing: {max_loops: 3, env: [HOME], defaults: {on_fail: {retry: {max: 1}}}}
steps:
  a: {exec: x, forEach: true, output: lines}
  b: {exec: x, depends_on: a, if: "1 > 0", fail_if: "!output", on_success: {run: d}}
  c: {exec: x, fanout: reduce, depends_on: b, continue_on_failure: true}
  d: {exec: x, on_call: true, on_fail: none}
  e: {exec: x, depends_on: c|a2, on_fail: {goto: a}}
  a2: {exec: x}
`;
    expect(unsupported(text)).toEqual([]);
  });
});
