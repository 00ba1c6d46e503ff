import { HoldfastError } from '../errors.ts';
import { jobLabel } from '../job/job-label.ts';
import type { JobConfig, WorkflowModel } from '../model/workflow-model.ts';
import { globMatcher, isPattern } from './glob.ts';
import { nearNames, nearText } from './near-names.ts';
import { findRefs } from './select-jobs.ts';

/** Names, patterns and output files at which a run is to end. */
export const MOST_TARGETS = 100;

export interface UntilJob {
  id: number;
  name: string;
  scope: string;
  on_call: boolean;
  /** It stands, or stood, for jobs of items. */
  is_blueprint: boolean;
  dependency_set_id: number | null;
  /** Read where it is needed: most jobs are neither asked for their outputs nor for their routes. */
  config(): Pick<JobConfig, 'output_files' | 'cwd' | 'on_fail' | 'on_success'>;
}

export interface UntilGraph {
  jobs: readonly UntilJob[];
  /** Ids of jobs, by set. */
  members: ReadonlyMap<number, readonly number[]>;
}

/**
 * Jobs that a run does not start if it is to end at the targets: all that these do not need, directly or not. Steps on
 * call are never among them, since their callers decide. Throws for a target that means nothing.
 */
export function heldBackBy(targets: readonly string[], graph: UntilGraph): number[] {
  const roots = new Set<number>();
  for (const target of targets) for (const id of targetJobs(target, graph.jobs)) roots.add(id);
  return heldBesides(roots, graph);
}

/** The same for targets of which some may have been removed since. */
export function heldBackByLeft(targets: readonly string[], graph: UntilGraph): number[] {
  return heldBesides(new Set(targets.flatMap((target) => meantBy(target, graph.jobs))), graph);
}

function heldBesides(roots: ReadonlySet<number>, graph: UntilGraph): number[] {
  const needed = neededBy(roots, graph);
  return graph.jobs.filter(({ id, on_call }) => !on_call && !needed.has(id)).map(({ id }) => id);
}

function targetJobs(target: string, jobs: readonly UntilJob[]): number[] {
  const ids = meantBy(target, jobs);
  if (ids.length === 0) {
    const known = new Set(jobs.flatMap((job) => [jobLabel(job), ...job.config().output_files]));
    throw new HoldfastError('NO_SUCH_TARGET', { target, near: nearText(nearNames(target, known)) });
  }
  const meant = new Set(ids);
  if (jobs.every(({ id, on_call }) => !meant.has(id) || on_call)) {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: 'until',
      problem: `${target} runs only when a route calls it`,
    });
  }
  return ids;
}

/** A job of this name or label comes before a file. */
function meantBy(target: string, jobs: readonly UntilJob[]): number[] {
  const named = findRefs([target], jobs).ids;
  if (named.size > 0) return [...named];
  if (isPattern(target)) {
    const isMatch = globMatcher(target);
    const matching = jobs.filter((job) => isMatch(jobLabel(job)));
    if (matching.length > 0) return matching.map(({ id }) => id);
  }
  const path = plainPath(target);
  const writers = jobs.filter((job) => {
    const { output_files: files, cwd } = job.config();
    return files.some((file) => file === target || seenFrom(cwd, file) === path);
  });
  return writers.map(({ id }) => id);
}

function seenFrom(directory: string | null, file: string): string {
  return plainPath(directory === null || file.startsWith('/') ? file : `${directory}/${file}`);
}

/** Without `.` and empty parts, and with `..` resolved where that is possible. */
function plainPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return `${path.startsWith('/') ? '/' : ''}${parts.join('/')}`;
}

/**
 * The jobs, all that they wait for, and all that their routes may call, since a job that is held back cannot be called.
 * With a job of an item, what stands for it, for items that are still to come.
 */
function neededBy(ids: ReadonlySet<number>, { jobs, members }: UntilGraph): Set<number> {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const byName = new Map<string, UntilJob[]>();
  for (const job of jobs) {
    const alike = byName.get(job.name);
    if (alike === undefined) byName.set(job.name, [job]);
    else alike.push(job);
  }
  const reached = new Set(ids);
  const passed = new Set<number>();
  const open = [...reached];
  const reach = (id: number) => {
    if (reached.has(id)) return;
    reached.add(id);
    open.push(id);
  };
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const job = byId.get(id);
    if (job === undefined) continue;
    if (job.scope !== '') {
      for (const other of byName.get(job.name)!) if (other.is_blueprint) reach(other.id);
    }
    const called = calledBy(job);
    // What code calls is not known before.
    if (called === null) for (const other of jobs) reach(other.id);
    for (const name of called ?? []) for (const other of byName.get(name) ?? []) reach(other.id);
    const set = job.dependency_set_id;
    if (set === null || passed.has(set)) continue;
    passed.add(set);
    for (const member of members.get(set) ?? []) reach(member);
  }
  return reached;
}

/** Names of the steps that the routes of a job call; null: code names them. */
function calledBy(job: UntilJob): string[] | null {
  const { on_fail, on_success } = job.config();
  if ((on_fail?.run_js ?? null) !== null || (on_success?.run_js ?? null) !== null) return null;
  return [...(on_fail?.run ?? []), ...(on_success?.run ?? [])];
}

/** A workflow that is not stored yet; ids are positions. */
export function untilGraphOf({ jobs, dependencySets }: WorkflowModel): UntilGraph {
  return {
    jobs: jobs.map(({ name, scope, dependencySet, config }, id) => ({
      ...{ id, name, scope, on_call: config.on_call, is_blueprint: scope !== '' },
      dependency_set_id: config.on_call ? null : dependencySet,
      config: () => config,
    })),
    members: new Map(dependencySets.map(({ members }, set) => [set, members])),
  };
}
