import type { ActionModel } from '../../core/action.ts';
import type { Findings } from '../findings.ts';
import { matchingIndexes, patternError } from '../pattern.ts';
import type { SpecPath } from '../problem.ts';
import type { ActionSpec } from '../schema/action-schema.ts';
import { didYouMean } from '../suggest.ts';

/** Actions that run commands; those that schedule nodes belong to clusters, and are flagged. */
export function normaliseActions(
  actions: readonly ActionSpec[],
  names: readonly string[],
  findings: Findings,
): ActionModel[] {
  const models: ActionModel[] = [];
  for (const [index, action] of actions.entries()) {
    const path: SpecPath = ['actions', index];
    if (action.action_type !== 'run_commands') {
      findings.notYet([...path, 'action_type'], 'Slurm');
      continue;
    }
    if (action.persistent === true) findings.notYet([...path, 'persistent'], 'actions that happen again');
    if ((action.commands ?? []).length === 0) {
      findings.error([...path, 'commands'], '`run_commands` needs `commands`');
    }
    for (const key of [
      'scheduler',
      'scheduler_type',
      'num_allocations',
      'start_one_worker_per_node',
      'max_parallel_jobs',
    ] as const) {
      if (action[key] !== undefined) findings.error([...path, key], '`run_commands` has no use for this key');
    }
    models.push({
      trigger: action.trigger_type,
      jobs: watchedJobs(action, path, names, findings),
      commands: action.commands ?? [],
    });
  }
  return models;
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
