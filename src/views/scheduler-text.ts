import type { ScheduleOrder, SchedulerModel } from '../core/allocation/scheduler.ts';
import type { ActionModel } from '../core/model/action.ts';
import type { WorkflowModel } from '../core/model/workflow-model.ts';
import { formatDuration, formatSize } from '../core/text/quantity.ts';

const NAMES_SHOWN = 3;

/** What the schedulers of a workflow ask a cluster for, and when; a line each. */
export function schedulersOfModel(model: WorkflowModel): string[] {
  const { schedulers = [], actions, jobs } = model;
  const orders = actions.filter((action) => action.schedule !== undefined);
  const names = jobs.map(({ name }) => name);
  return schedulers.map((scheduler) => {
    const own = orders.filter(({ schedule }) => schedule!.scheduler === scheduler.name);
    const when =
      orders.length === 0
        ? 'one at a time, as long as ready jobs have no worker'
        : own.map((action) => orderText(action, action.schedule!, names)).join('; ') || 'when it is asked to';
    return `scheduler ${scheduler.name} asks Slurm for ${allocationText(scheduler)}: ${when}`;
  });
}

/** `2 nodes with 16 CPUs, 2 GPUs and 64g of memory each, for 4h00m (account p, partition gpu)`. */
export function allocationText(scheduler: SchedulerModel): string {
  const { nodes, cpus, gpus, memory_bytes: memory, walltime_ms: walltime, options } = scheduler;
  const parts = [
    cpus === null ? null : counted(cpus, 'CPU'),
    gpus === null || gpus === 0 ? null : counted(gpus, 'GPU'),
    memory === null ? null : `${formatSize(memory)} of memory`,
  ].filter((part) => part !== null);
  const last = parts.pop();
  const offer =
    last === undefined ? '' : ` with ${parts.length === 0 ? last : `${parts.join(', ')} and ${last}`}`;
  const each = nodes > 1 && offer !== '' ? ' each' : '';
  const time =
    walltime !== null
      ? `, for ${formatDuration(walltime)}`
      : options.time === 'UNLIMITED'
        ? ', without a time limit'
        : ', for the default time of the partition';
  const places = ['account', 'partition', 'qos'].flatMap((name) =>
    options[name] == null ? [] : [`${name} ${options[name]}`],
  );
  return `${counted(nodes, 'node')}${offer}${each}${time}${places.length === 0 ? '' : ` (${places.join(', ')})`}`;
}

function orderText(
  { trigger, persistent, jobs }: ActionModel,
  order: ScheduleOrder,
  names: string[],
): string {
  const watched = jobs.length === names.length ? 'any jobs' : someOf(jobs.map((job) => names[job]!));
  const workers = [
    order.one_worker_per_node ? 'one worker per node' : null,
    order.max_parallel === null ? null : `${counted(order.max_parallel, 'job')} per worker at most`,
  ].filter((part) => part !== null);
  const how = workers.length === 0 ? '' : ` (${workers.join(', ')})`;
  if (order.automatic) {
    const whose = jobs.length === 0 ? 'any jobs' : watched;
    const verbs = jobs.length === 1 ? 'is ready and has' : 'are ready and have';
    return `up to ${order.allocations} at a time as long as ${whose} ${verbs} no worker${how}`;
  }
  const be = jobs.length === 1 ? 'is' : 'are';
  const when = {
    on_workflow_start: 'when the workflow starts',
    on_jobs_ready: `when ${watched} ${be} ready`,
    on_jobs_complete: `when ${watched} ${be} complete`,
  }[trigger as string];
  return `${order.allocations} ${when ?? trigger}${persistent ? ', each time' : ''}${how}`;
}

function someOf(names: string[]): string {
  const rest = names.length - NAMES_SHOWN;
  return rest > 0 ? `${names.slice(0, NAMES_SHOWN).join(', ')} and ${rest} more` : names.join(', ');
}

function counted(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
