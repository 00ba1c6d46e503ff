import type { Requirement } from '../model/workflow-model.ts';
import {
  ANY_PLACE,
  eligibility,
  NO_LIMITS,
  type Places,
  type WorkerOffer,
} from '../placement/eligibility.ts';
import { freeResources } from '../placement/resources.ts';
import type { SchedulerModel } from './scheduler.ts';
import type { SeenCapacity } from './seen-capacity.ts';

/** Workers of allocations of a scheduler have this label. */
export function schedulerLabel(scheduler: string): string {
  return `${PREFIX}${scheduler}`;
}

const PREFIX = 'slurm:';

/** The only scheduler in whose allocations jobs with these labels run; undefined: any. */
export function boundScheduler(labels: readonly string[]): string | undefined {
  return labels.find((label) => label.startsWith(PREFIX))?.slice(PREFIX.length);
}

/** What is known of a scheduler: what it asks for, and what was seen of workers in its allocations. */
export interface KnownScheduler {
  model: SchedulerModel;
  seen: SeenCapacity | null;
}

/** How the workers of an allocation are started. */
export interface WorkerLayout {
  oneWorkerPerNode: boolean;
  maxParallel: number | null;
}

export function workersExpected({ nodes }: SchedulerModel, { oneWorkerPerNode }: WorkerLayout): number {
  return oneWorkerPerNode ? nodes : 1;
}

/** A worker that is expected, with all that it will have. */
export interface ExpectedWorker {
  offer: WorkerOffer;
  /** None of its scheduler was seen: its labels and its site are not known. */
  isUnseen: boolean;
}

/** What is not known is not limited: the first worker shows what there is. */
export function expectedWorker({ model, seen }: KnownScheduler, layout: WorkerLayout): ExpectedWorker {
  const known = seen ?? model;
  const walltime = model.walltime_ms === null ? null : model.walltime_ms - model.worker.end_before_ms;
  const free = freeResources({
    cpus: known.cpus ?? Number.POSITIVE_INFINITY,
    memory_bytes: known.memory_bytes ?? Number.POSITIVE_INFINITY,
    gpus: known.gpus ?? Number.POSITIVE_INFINITY,
    nodes: layout.oneWorkerPerNode ? 1 : model.nodes,
    max_parallel: layout.maxParallel,
  });
  return {
    offer: {
      worker_id: null,
      site: seen?.site ?? '',
      labels: [...(seen?.labels ?? []), schedulerLabel(model.name)],
      time_left_ms: seen?.time_left_ms ?? walltime,
      free,
    },
    isUnseen: seen === null,
  };
}

/** How many jobs of the requirement the worker could take with what its offer still has. */
export function countFor(
  requirement: Requirement,
  { offer, isUnseen }: ExpectedWorker,
  places: Places,
  now: number,
): number {
  const labels = isUnseen
    ? requirement.labels.filter((label) => label.startsWith(PREFIX))
    : requirement.labels;
  const need = { requirement: { ...requirement, labels }, avoid: null };
  const where = isUnseen ? ANY_PLACE : places;
  const answer = eligibility(need, offer, { now, ...where, limits: NO_LIMITS, others: [] });
  return answer.fits ? answer.count : 0;
}

/** Whether jobs of the requirement could ever run in allocations of the scheduler. */
export function fitsScheduler(
  requirement: Requirement,
  scheduler: KnownScheduler,
  layout: WorkerLayout,
  places: Places,
  now: number,
): boolean {
  return countFor(requirement, expectedWorker(scheduler, layout), places, now) > 0;
}

/** The ban that keeps new work from the site where allocations of the scheduler run, if that is known. */
export function banOf({ seen }: KnownScheduler, { bans, sites }: Places, now: number): string | null {
  if (seen === null) return null;
  const ban = bans.find(({ site, until }) => site === seen.site && (until === null || until > now));
  if (ban !== undefined) return `site ${seen.site} is banned: ${ban.reason}`;
  if (sites === null || sites.includes(seen.site)) return null;
  return `its jobs run only at ${sites.join(', ')}, and its allocations are at ${seen.site}`;
}
