import { describe, expect, it } from 'vitest';
import type { ActionModel } from '../../src/core/model/action.ts';
import { messagesOf, modelOf } from './spec-text.ts';

const BASE =
  'slurm_schedulers: [{name: s}]\njobs: [{name: a_1, command: x}, {name: a_2, command: x}, {name: b, command: x}]';

function actionOf(written: string): ActionModel {
  return modelOf(`${BASE}\nactions: [{${written}}]`).actions[0]!;
}

function mistakesOf(written: string): string[] {
  return messagesOf(`${BASE}\nactions: [{${written}}]`);
}

describe('schedule_nodes', () => {
  it('asks for allocations of a scheduler when its trigger comes', () => {
    expect(
      actionOf(
        'trigger_type: on_jobs_ready, action_type: schedule_nodes, scheduler: s, scheduler_type: slurm, job_name_regexes: ["^a_"], num_allocations: 3, start_one_worker_per_node: true, max_parallel_jobs: 4, persistent: true',
      ),
    ).toEqual({
      trigger: 'on_jobs_ready',
      persistent: true,
      jobs: [0, 1],
      commands: [],
      schedule: {
        scheduler: 's',
        allocations: 3,
        one_worker_per_node: true,
        max_parallel: 4,
        automatic: false,
      },
    });
  });

  it('asks for one, once, unless it says more', () => {
    expect(actionOf('trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: s')).toEqual({
      trigger: 'on_workflow_start',
      persistent: false,
      jobs: [],
      commands: [],
      schedule: {
        scheduler: 's',
        allocations: 1,
        one_worker_per_node: false,
        max_parallel: null,
        automatic: false,
      },
    });
  });
});

describe('auto_schedule_on_ready_jobs', () => {
  it.each([
    ['on_workflow_start', []],
    ['on_jobs_ready', [0, 1, 2]],
  ])('asks by itself from %s on', (trigger, jobs) => {
    expect(
      actionOf(
        `trigger_type: ${trigger}, action_type: auto_schedule_on_ready_jobs, scheduler: s, num_allocations: 2`,
      ),
    ).toMatchObject({ trigger, jobs, persistent: false, schedule: { automatic: true, allocations: 2 } });
  });
});

describe('a mistake in such an action', () => {
  const NODES = 'trigger_type: on_workflow_start, action_type: schedule_nodes';
  const AUTO = 'trigger_type: on_jobs_ready, action_type: auto_schedule_on_ready_jobs';
  it.each([
    [NODES, '`schedule_nodes` needs `scheduler`, a name from `slurm_schedulers`'],
    [AUTO, '`auto_schedule_on_ready_jobs` needs `scheduler`'],
    [`${NODES}, scheduler: t`, '`slurm_schedulers` have no "t"'],
    [`${NODES}, scheduler: s, scheduler_type: local`, 'there is no local scheduler; leave the action out'],
    [`${NODES}, scheduler_type: local`, 'there is no local scheduler; leave the action out'],
    [`${NODES}, scheduler: s, commands: [x]`, '`schedule_nodes` has no use for this key'],
    [`${NODES}, scheduler: s, jobs: [b]`, '`on_workflow_start` watches no jobs'],
    [`${NODES}, scheduler: s, max_parallel_jobs: 0`, 'must be at least 1'],
    [`${AUTO}, scheduler: s, jobs: [c]`, 'there is no job "c"'],
    [`${AUTO}, scheduler: s, persistent: false`, 'asks again by itself'],
    [
      'trigger_type: on_workflow_complete, action_type: schedule_nodes, scheduler: s',
      'cannot wait for on_workflow_complete; write on_workflow_start or on_jobs_ready or on_jobs_complete',
    ],
    [
      'trigger_type: on_jobs_complete, action_type: auto_schedule_on_ready_jobs, scheduler: s',
      'cannot wait for on_jobs_complete; write on_workflow_start or on_jobs_ready',
    ],
    [
      'trigger_type: on_worker_start, action_type: schedule_nodes, scheduler: s',
      'cannot wait for on_worker_start',
    ],
  ])('is reported with the way out: %s', (written, message) => {
    const mistakes = mistakesOf(written);
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toContain(message);
  });
});
