import type { Requirement } from '../model/workflow-model.ts';
import {
  eligibility,
  type JobNeed,
  type Limits,
  NO_LIMITS,
  type Situation,
  type WorkerOffer,
  withinLimits,
} from './eligibility.ts';
import type { FreeResources } from './resources.ts';
import type { Shortage } from './shortage.ts';

/** A worker that takes jobs, with what it has free and with all that it has. */
export interface PlacedWorker {
  id: number;
  host: string;
  site: string;
  free: WorkerOffer;
  whole: WorkerOffer;
}

export interface WaitReason {
  short: Shortage;
  /** The worker that is short of it; null: the workflow is, or every worker. */
  worker: PlacedWorker | null;
  /** All that there is of it, free or not; null where that is no number. */
  total: number | null;
}

/** More than these are not named. */
const WORKERS_NAMED = 5;

/** Why no worker can take a ready job now; empty if one can. */
export function explainWait(
  need: JobNeed,
  workers: readonly PlacedWorker[],
  situation: Omit<Situation, 'others'>,
  totals: Limits,
): WaitReason[] {
  return [
    ...limitReasons(need.requirement, situation.limits, totals),
    ...workerReasons(need, workers, situation),
  ];
}

function limitReasons({ resources }: Requirement, limits: Limits, totals: Limits): WaitReason[] {
  const parts = [{}, ...Object.entries(resources).map(([name, amount]) => ({ [name]: amount }))];
  return parts.flatMap((part, index): WaitReason[] => {
    // Each on its own, without the one limit that all share.
    const parallel = index === 0 ? limits.parallel : Number.POSITIVE_INFINITY;
    const answer = withinLimits({ resources: part }, { named: limits.named, parallel });
    if (answer.fits) return [];
    const total = index === 0 ? totals.parallel : (totals.named.get(Object.keys(part)[0]!) ?? 0);
    return [{ short: answer.short, worker: null, total }];
  });
}

function workerReasons(
  need: JobNeed,
  workers: readonly PlacedWorker[],
  situation: Omit<Situation, 'others'>,
): WaitReason[] {
  if (workers.length === 0) return [{ short: { kind: 'no_worker' }, worker: null, total: null }];
  const unlimited = { ...need, requirement: { ...need.requirement, resources: {} } };
  const reasons: WaitReason[] = [];
  for (const worker of workers) {
    const others = workers.flatMap(({ id, whole }) => (id === worker.id ? [] : whole));
    const answer = eligibility(unlimited, worker.free, { ...situation, limits: NO_LIMITS, others });
    if (answer.fits) return [];
    reasons.push({ short: answer.short, worker, total: totalOf(answer.short, worker.whole.free) });
  }
  // What passes is waited for. Only where nothing does, what stays as it is explains the wait.
  const passing = reasons.filter(isPassing);
  if (passing.length > 0) return passing.slice(0, WORKERS_NAMED);
  const suitable = reasons.filter(({ short }) => short.kind !== 'labels');
  if (suitable.length > 0) return suitable.slice(0, WORKERS_NAMED);
  return [{ short: labelsNobodyHas(need.requirement, workers), worker: null, total: null }];
}

/** Labels that no worker has; if each is had by some worker, all of them, since none has them together. */
function labelsNobodyHas({ labels }: Requirement, workers: readonly PlacedWorker[]): Shortage {
  const unknown = labels.filter((label) => !workers.some(({ whole }) => whole.labels.includes(label)));
  return { kind: 'labels', missing: unknown.length > 0 ? unknown : labels };
}

function isPassing({ short, total }: WaitReason): boolean {
  if (short.kind === 'resource') return total === null || short.needed <= total;
  return short.kind === 'avoided_worker' || short.kind === 'avoided_site';
}

function totalOf(short: Shortage, whole: FreeResources): number | null {
  return short.kind === 'resource' ? (whole[short.resource] ?? null) : null;
}
