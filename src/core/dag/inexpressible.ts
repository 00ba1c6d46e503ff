import type { JobConfig, JobModel, WorkflowModel } from '../model/workflow-model.ts';
import type { DagModel } from './dag-model.ts';

/** Something of a workflow that DAGMan cannot do. */
export interface Inexpressible {
  /** Index of the job; null: the workflow as a whole. */
  job: number | null;
  /** The key of the spec that asks for it. */
  key: string;
  reason: string;
}

/** Everything of a workflow that a DAG cannot have. Empty: it can be exported. Pure. */
export function inexpressible(model: WorkflowModel): Inexpressible[] {
  return [...ofWorkflow(model), ...inexpressibleJobs(model)];
}

/** The same for its jobs alone. */
export function inexpressibleJobs(model: DagModel): Inexpressible[] {
  return model.jobs.flatMap((job, index) => [...ofJob(model, job, index)]);
}

function* ofWorkflow(model: WorkflowModel): Generator<Inexpressible> {
  const whole = (key: string, reason: string) => ({ job: null, key, reason });
  if (model.usePendingFailed) yield whole('use_pending_failed', 'DAGMan cannot wait for a decision');
  if (model.userData.length > 0) yield whole('user_data', 'nodes of a DAG pass no values to each other');
  if (model.actions.length > 0) yield whole('actions', 'DAGMan has no such moments');
  for (const { name, rules } of model.failureHandlers) {
    if (rules.some(({ recoveryScript }) => recoveryScript !== null)) {
      yield whole('failure_handlers', `a recovery script of ${name} needs a worker of Holdfast`);
    }
  }
}

function* ofJob(model: DagModel, job: JobModel, index: number): Generator<Inexpressible> {
  const { config } = job;
  for (const [key, applies, reason] of CONFIG) {
    if (applies(config)) yield { job: index, key, reason };
  }
  if (job.scope !== '')
    yield { job: index, key: 'for_each', reason: 'a DAG has its nodes from the beginning' };
  if (!job.cancelOnBlockingJobFailure) {
    yield {
      job: index,
      key: 'cancel_on_blocking_job_failure',
      reason: 'a node never runs after a parent that failed',
    };
  }
  const set = job.dependencySet === null ? null : model.dependencySets[job.dependencySet]!;
  if (set !== null && set.anyOf.length > 0) {
    yield { job: index, key: 'depends_on', reason: 'a node waits for all of its parents' };
  } else if (set !== null && set.joined.length + set.producers.length > 0) {
    yield { job: index, key: 'depends_on', reason: 'a DAG has its nodes from the beginning' };
  }
  yield* ofRequirement(model, job, index);
}

type ConfigRow = [key: string, applies: (config: JobConfig) => boolean, reason: string];

const CONFIG: ConfigRow[] = [
  ['command', ({ command }) => command.includes('\0'), 'a NUL character cannot be part of a script'],
  [
    'command',
    ({ template }) => template,
    'templates over outputs are rendered when the job runs, which needs a worker',
  ],
  [
    'command',
    ({ command, template }) => !template && command.includes('${user_data.'),
    'nodes of a DAG pass no values to each other',
  ],
  ['on_fail', ({ on_fail }) => on_fail !== null, 'DAGMan has no routes'],
  ['on_success', ({ on_success }) => on_success !== null, 'DAGMan has no routes'],
  ['on_call', ({ on_call }) => on_call, 'DAGMan has no routes'],
  ['fail_fast', ({ fail_fast }) => fail_fast !== null, 'a failed node cancels no other nodes'],
  ['for_each', ({ for_each }) => for_each, 'a DAG has its nodes from the beginning'],
  ['if', ({ condition }) => condition !== null, 'DAGMan evaluates no conditions'],
  ['fail_if', ({ fail_if }) => fail_if !== null, 'DAGMan evaluates no conditions'],
  ['isolate', ({ isolate }) => isolate, 'it needs a worker of Holdfast'],
  [
    'keep_failed_outputs',
    ({ failed_outputs }) => failed_outputs !== 'in_place',
    'it needs a worker of Holdfast',
  ],
  ['ports', ({ ports }) => ports.length > 0, 'it needs a worker of Holdfast'],
  ['deadline', ({ deadline_ms }) => deadline_ms !== null, 'DAGMan limits attempts, not jobs'],
  [
    'scheduling_timeout',
    ({ scheduling_timeout_ms }) => scheduling_timeout_ms !== null,
    'DAGMan does not limit how long a job waits',
  ],
  [
    'post',
    ({ post }) => post?.kind === 'command',
    'the POST script of a node is the built-in step, which applies the rulebook',
  ],
  [
    'env',
    ({ env }) => Object.keys(env).some((name) => !/^[A-Za-z_]\w*$/.test(name)),
    'a shell cannot set a variable of this name',
  ],
  [
    'env',
    ({ env }) => Object.values(env).some((value) => value.includes('\0')),
    'a NUL character cannot be part of a variable',
  ],
];

function* ofRequirement(model: DagModel, job: JobModel, index: number): Generator<Inexpressible> {
  const { nodes, labels, resources } = model.requirements[job.requirement]!;
  const of = (key: string, reason: string) => ({ job: index, key, reason });
  if (nodes > 1) yield of('num_nodes', 'a node of a DAG runs on one machine');
  if (labels.length > 0) yield of('labels', 'only workers of Holdfast have labels; `sites` chooses machines');
  const taken = Object.entries(resources);
  if (taken.length > 1 || taken.some(([, count]) => count !== 1)) {
    yield of('resources', 'a node takes one of one counting resource at most (CATEGORY and MAXJOBS)');
  }
}
