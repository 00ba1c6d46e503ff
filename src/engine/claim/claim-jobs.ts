import type { Claim } from '../../contract/records/exchange.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import type { Requirement } from '../../core/model/workflow-model.ts';
import { ANY_PLACE, avoidable, type Places, type WorkerOffer } from '../../core/placement/eligibility.ts';
import { insertAttempts, type NewAttempt } from '../../store/rows/attempts/attempt-rows.ts';
import { findCaller } from '../../store/rows/flow/route-rows.ts';
import {
  type AvoidedPlace,
  type ClaimableJob,
  countLiveByRequirement,
  listClaimable,
} from '../../store/rows/jobs/job-rows.ts';
import { toPending } from '../../store/rows/jobs/job-transitions.ts';
import { decodeServes } from '../../store/rows/jobs/state-columns.ts';
import {
  listRequirements,
  type StoredRequirement,
  type WorkflowRow,
} from '../../store/rows/workflows/workflow-rows.ts';
import { type Script, together } from '../../store/script.ts';
import {
  byId,
  type ClaimFacts,
  claimFacts,
  claimOf,
  type SharedFacts,
  stderrPatterns,
} from './claim-facts.ts';
import { failLateRetries, findLateRetry, type LateRetry } from './fail-late-retries.ts';
import { type Claimant, loadOtherOffers, offerOfClaimant } from './offers.ts';
import { loadPlaces } from './places.ts';
import { Room, type SharedLimits } from './room.ts';

/** A job that a claimant is to be given. */
export interface ChosenJob {
  claimant: Claimant;
  job: ClaimableJob;
  facts: ClaimFacts;
}

/** What is read before claims are made in a workflow. */
export interface ClaimBasis extends SharedFacts {
  /** What other workers offer that take jobs now, for each claimant that some ready job avoids. */
  others: ReadonlyMap<number, WorkerOffer[]>;
  /** Sites at which jobs of the workflow may run. */
  places: Places;
}

/** Nothing is read if nobody has room for a job. */
export function* loadClaimBasis(
  workflow: WorkflowRow,
  claimants: readonly Claimant[],
  now: number,
): Script<ClaimBasis> {
  const userData = new Map();
  if (!haveRoom(claimants)) {
    return { requirements: new Map(), patterns: new Map(), others: new Map(), places: ANY_PLACE, userData };
  }
  const [requirements, patterns, others, places] = yield* together(
    listRequirements(workflow.id),
    stderrPatterns(workflow.id),
    loadOtherOffers(claimants, now),
    loadPlaces(workflow, now),
  );
  return { requirements: byId(requirements), patterns, others, places, userData };
}

function haveRoom(claimants: readonly Claimant[]): boolean {
  return claimants.some(({ capacity }) => capacity.slots > 0);
}

/** What was chosen, and whether retries were found that were too late: they have failed instead. */
interface Choice {
  chosen: ChosenJob[];
  hasFailed: boolean;
}

/**
 * Chooses what fits for one worker after the other, by priority, then by rank, then in the order of creation. Ready jobs are asked for
 * by requirement, so that any number of jobs that do not fit costs nothing.
 */
export function* chooseJobs(
  workflow: WorkflowRow,
  claimants: readonly Claimant[],
  basis: ClaimBasis,
  now: number,
): Script<Choice> {
  if (!haveRoom(claimants)) return { chosen: [], hasFailed: false };
  const limits = yield* measureLimits(workflow, basis.requirements);
  const rooms = claimants.map((claimant) => ({
    claimant,
    room: new Room(offerOfClaimant(claimant, now), limits, basis.places, now),
  }));
  const choice: Choice = { chosen: [], hasFailed: false };
  const taken = new Set<number>();
  for (;;) {
    const lists = yield* listCandidates(workflow.id, rooms, taken.size, basis, now);
    const late = new Map<number, LateRetry>();
    for (const { claimant, room } of rooms) {
      for (const job of lists(claimant)) {
        if (room.isFull) break;
        const requirement = basis.requirements.get(job.requirement_id)!;
        if (taken.has(job.id) || late.has(job.id) || room.countOf(requirement) < 1) continue;
        const lateRetry = yield* findLateRetry(workflow, job, now);
        if (lateRetry !== null) {
          late.set(job.id, lateRetry);
          continue;
        }
        room.take(requirement);
        taken.add(job.id);
        choice.chosen.push({ claimant, job, facts: yield* claimFacts(workflow, job, basis) });
      }
    }
    if (late.size === 0) return choice;
    // Their room is for others.
    choice.hasFailed = true;
    yield* failLateRetries(workflow, [...late.values()], now);
  }
}

/**
 * Ready jobs in the order in which they are claimed, enough of each requirement for everybody who could take some. A
 * claimant that is avoided has a list of its own: of what another one could take as well, only what does not avoid it.
 */
function* listCandidates(
  workflowId: number,
  rooms: readonly { claimant: Claimant; room: Room }[],
  /** Jobs that were chosen already and are still ready. */
  chosen: number,
  basis: ClaimBasis,
  now: number,
): Script<(claimant: Claimant) => ClaimableJob[]> {
  const wanted = [...basis.requirements.values()].flatMap((requirement) => {
    const count = rooms.reduce((sum, { room }) => sum + room.countOf(requirement), 0);
    return count > 0 ? { requirement, count: count + chosen } : [];
  });
  const list = (place: (requirement: Requirement) => AvoidedPlace | null) =>
    together<ClaimableJob[][]>(
      ...wanted.map(({ requirement, count }) =>
        listClaimable(workflowId, requirement.id, count, place(requirement)),
      ),
    );
  const avoided = rooms.filter(({ claimant }) => basis.others.has(claimant.worker.id));
  const [common, ...own] = yield* together<ClaimableJob[][][]>(
    list(() => null),
    ...avoided.map(({ claimant: { worker }, room: { offer } }) =>
      list((requirement) => {
        const others = basis.others.get(worker.id)!;
        const places = avoidable(requirement, offer, { others, ...basis.places, now });
        if (!places.worker) return null;
        return { workerId: worker.id, site: places.site ? offer.site : null, now };
      }),
    ),
  );
  const lists = new Map(avoided.map(({ claimant }, index) => [claimant, inOrder(own[index]!)]));
  const others = inOrder(common!);
  return (claimant) => lists.get(claimant) ?? others;
}

function inOrder(lists: readonly ClaimableJob[][]): ClaimableJob[] {
  return lists.flat().sort((a, b) => b.priority - a.priority || a.claim_rank - b.claim_rank || a.id - b.id);
}

/** The chosen jobs are the workers' from here on. Returns the claims of each claimant. */
export function* handOut(
  workflow: WorkflowRow,
  claimants: readonly Claimant[],
  chosen: readonly ChosenJob[],
  now: number,
): Script<Claim[][]> {
  yield* toPending(chosen.map(({ job }) => job.id));
  const attempts: NewAttempt[] = [];
  for (const { claimant, job } of chosen) {
    const serves = decodeServes(job.serves);
    const caller = serves === null ? null : yield* findCaller(serves.call_id);
    attempts.push({
      workflow_id: workflow.id,
      job_id: job.id,
      run_id: workflow.run_id,
      visit: job.visit,
      attempt_id: job.attempt_id + 1,
      caller: caller === null ? null : jobLabel(caller),
      worker_id: claimant.worker.id,
      claimed_at: now,
    });
  }
  const tokens = yield* insertAttempts(attempts);
  return claimants.map((claimant) =>
    chosen
      .filter((each) => each.claimant === claimant)
      .map(({ job, facts }) =>
        claimOf(workflow, job, facts, { token: tokens.get(job.id)!, attempt_id: job.attempt_id + 1 }),
      ),
  );
}

/** All that the limits of the workflow allow. */
export function totalLimits({ limits, max_parallel }: WorkflowRow): SharedLimits {
  return {
    named: new Map(Object.entries(JSON.parse(limits) as Record<string, number>)),
    parallel: max_parallel ?? Number.POSITIVE_INFINITY,
  };
}

/** Limits hold for all workers of the workflow together, so they are measured in the claiming transaction. */
export function* measureLimits(
  workflow: WorkflowRow,
  requirements: ReadonlyMap<number, StoredRequirement>,
): Script<SharedLimits> {
  let { named, parallel } = totalLimits(workflow);
  if (named.size > 0 || workflow.max_parallel !== null) {
    for (const { requirement_id, count } of yield* countLiveByRequirement(workflow.id)) {
      parallel -= count;
      for (const [name, amount] of Object.entries(requirements.get(requirement_id)!.resources)) {
        named.set(name, (named.get(name) ?? 0) - amount * count);
      }
    }
  }
  return { named, parallel };
}
