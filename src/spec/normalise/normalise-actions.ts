import type { ScheduleOrder } from '../../core/allocation/scheduler.ts';
import { type ActionModel, type ActionTrigger, isAboutWorkers } from '../../core/model/action.ts';
import type { Findings } from '../findings.ts';
import { matchingIndexes, patternError } from '../pattern.ts';
import type { SpecPath } from '../problem.ts';
import type { ActionSpec } from '../schema/action-schema.ts';
import { didYouMean } from '../suggest.ts';

/** Keys of the actions that ask for allocations. */
const SCHEDULE_KEYS = [
  'scheduler',
  'scheduler_type',
  'num_allocations',
  'start_one_worker_per_node',
  'max_parallel_jobs',
] as const;

/** When allocations can be asked for: while something is left to run, and not by the workers in them. */
const SCHEDULE_TRIGGERS: Record<'schedule_nodes' | 'auto_schedule_on_ready_jobs', readonly ActionTrigger[]> =
  {
    schedule_nodes: ['on_workflow_start', 'on_jobs_ready', 'on_jobs_complete'],
    auto_schedule_on_ready_jobs: ['on_workflow_start', 'on_jobs_ready'],
  };

/** What is done at moments of a run: commands, or allocations that are asked for. */
export function normaliseActions(
  actions: readonly ActionSpec[],
  names: readonly string[],
  findings: Findings,
): ActionModel[] {
  return actions.map((action, index): ActionModel => {
    const path: SpecPath = ['actions', index];
    const jobs = watchedJobs(action, path, names, findings);
    if (action.action_type !== 'run_commands') {
      return {
        trigger: action.trigger_type,
        persistent: action.action_type === 'schedule_nodes' && (action.persistent ?? false),
        jobs,
        commands: [],
        schedule: scheduleOrder(action, action.action_type, path, findings),
      };
    }
    if ((action.commands ?? []).length === 0) {
      findings.error([...path, 'commands'], '`run_commands` needs `commands`');
    }
    for (const key of SCHEDULE_KEYS) {
      if (action[key] !== undefined) findings.error([...path, key], '`run_commands` has no use for this key');
    }
    return {
      trigger: action.trigger_type,
      persistent: action.persistent ?? isAboutWorkers(action.trigger_type),
      jobs,
      commands: action.commands ?? [],
    };
  });
}

function scheduleOrder(
  action: ActionSpec,
  type: keyof typeof SCHEDULE_TRIGGERS,
  path: SpecPath,
  findings: Findings,
): ScheduleOrder {
  const triggers = SCHEDULE_TRIGGERS[type];
  if (!triggers.includes(action.trigger_type)) {
    findings.error(
      [...path, 'trigger_type'],
      `\`${type}\` cannot wait for ${action.trigger_type}; write ${triggers.join(' or ')}`,
    );
  }
  if (action.scheduler_type === 'local') {
    findings.error(
      [...path, 'scheduler_type'],
      'there is no local scheduler; leave the action out: `holdfast worker` makes a machine run jobs',
    );
  } else if (action.scheduler === undefined) {
    findings.error(path, `\`${type}\` needs \`scheduler\`, a name from \`slurm_schedulers\``);
  }
  if (action.commands !== undefined) {
    findings.error([...path, 'commands'], `\`${type}\` has no use for this key`);
  }
  const automatic = type === 'auto_schedule_on_ready_jobs';
  if (automatic && action.persistent === false) {
    findings.error(
      [...path, 'persistent'],
      '`auto_schedule_on_ready_jobs` asks again by itself; write schedule_nodes for once',
    );
  }
  return {
    scheduler: action.scheduler ?? '',
    allocations: action.num_allocations ?? 1,
    one_worker_per_node: action.start_one_worker_per_node ?? false,
    max_parallel: action.max_parallel_jobs ?? null,
    automatic,
  };
}

/** Jobs by name and by pattern; all of them where the trigger is about jobs and none is named. */
function watchedJobs(
  action: ActionSpec,
  path: SpecPath,
  names: readonly string[],
  findings: Findings,
): number[] {
  const isAboutJobs = action.trigger_type === 'on_jobs_ready' || action.trigger_type === 'on_jobs_complete';
  const isNamed = action.jobs !== undefined || action.job_name_regexes !== undefined;
  if (!isAboutJobs) {
    if (isNamed) findings.error(path, `\`${action.trigger_type}\` watches no jobs`);
    return [];
  }
  if (!isNamed) return [...names.keys()];
  const watched = new Set<number>();
  for (const [position, name] of (action.jobs ?? []).entries()) {
    const job = names.indexOf(name);
    if (job >= 0) watched.add(job);
    else findings.error([...path, 'jobs', position], `there is no job "${name}"${didYouMean(name, names)}`);
  }
  for (const [position, pattern] of (action.job_name_regexes ?? []).entries()) {
    const place = [...path, 'job_name_regexes', position];
    const problem = patternError(pattern);
    const found = problem === undefined ? matchingIndexes(pattern, names) : [];
    if (problem !== undefined) findings.error(place, problem);
    else if (found.length === 0) findings.error(place, `"${pattern}" matches no job`);
    for (const job of found) watched.add(job);
  }
  return [...watched].sort((a, b) => a - b);
}
