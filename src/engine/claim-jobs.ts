import type { Capacity, Claim } from '../core/exchange.ts';
import { isFitting, type Offer } from '../core/fit.ts';
import { jobLabel } from '../core/job-label.ts';
import { insertAttempts, type NewAttempt } from '../store/attempt-rows.ts';
import { countLiveByRequirement, type JobRow, listClaimable, toPending } from '../store/job-rows.ts';
import { findCaller } from '../store/route-rows.ts';
import { type Script, together } from '../store/script.ts';
import { type ExchangingWorker, listOtherOffers, listShunned } from '../store/worker-rows.ts';
import { listRequirements, type WorkflowRow } from '../store/workflow-rows.ts';
import {
  byId,
  type ClaimFacts,
  claimFacts,
  claimOf,
  type SharedFacts,
  stderrPatterns,
} from './claim-facts.ts';
import { type Limits, Room } from './room.ts';

/** A worker that takes jobs. What it has free is reduced by what it is given. */
export interface Claimant {
  worker: ExchangingWorker;
  capacity: Capacity;
}

/** A job that a claimant is to be given. */
export interface ChosenJob {
  claimant: Claimant;
  job: JobRow;
  facts: ClaimFacts;
}

/** What is read before claims are made in a workflow. */
export interface ClaimBasis extends SharedFacts {
  /** What others offer who take jobs now, for each claimant that some ready job shuns. */
  shunned: ReadonlyMap<number, Offer[]>;
}

/** Nothing is read if nobody has room for a job. */
export function* loadClaimBasis(
  workflowId: number,
  claimants: readonly Claimant[],
  now: number,
): Script<ClaimBasis> {
  const userData = new Map();
  if (!haveRoom(claimants)) {
    return { requirements: new Map(), patterns: new Map(), shunned: new Map(), userData };
  }
  const [requirements, patterns, shunned] = yield* together(
    listRequirements(workflowId),
    stderrPatterns(workflowId),
    listShunnedClaimants(claimants, now),
  );
  return { requirements: byId(requirements), patterns, shunned, userData };
}

function haveRoom(claimants: readonly Claimant[]): boolean {
  return claimants.some(({ capacity }) => capacity.slots > 0);
}

/**
 * Chooses what fits for one worker after the other, by priority, then in the order of creation. Ready jobs are asked for
 * by requirement, so that any number of jobs that do not fit costs nothing.
 */
export function* chooseJobs(
  workflow: WorkflowRow,
  claimants: readonly Claimant[],
  basis: ClaimBasis,
  now: number,
): Script<ChosenJob[]> {
  if (!haveRoom(claimants)) return [];
  const limits = yield* measureLimits(workflow, basis);
  const rooms = claimants.map((claimant) => ({ claimant, room: new Room(claimant.capacity, limits) }));
  const lists = yield* listCandidates(workflow.id, rooms, basis, now);

  const chosen: ChosenJob[] = [];
  const taken = new Set<number>();
  for (const { claimant, room } of rooms) {
    for (const job of lists(claimant)) {
      if (room.slots <= 0) break;
      const requirement = basis.requirements.get(job.requirement_id)!;
      if (taken.has(job.id) || !room.fits(requirement)) continue;
      room.take(requirement);
      taken.add(job.id);
      chosen.push({ claimant, job, facts: yield* claimFacts(workflow, job, basis) });
    }
  }
  return chosen;
}

function* listShunnedClaimants(claimants: readonly Claimant[], now: number): Script<Map<number, Offer[]>> {
  const ids = claimants.flatMap(({ worker }) => (worker.kind === 'run' ? [] : worker.id));
  const shunned = new Map<number, Offer[]>();
  for (const id of ids.length === 0 ? [] : yield* listShunned(ids, now)) {
    const offers = yield* listOtherOffers(id, now);
    shunned.set(
      id,
      offers.map(({ cpus, memory_bytes, gpus }) => ({ cpus, memoryBytes: memory_bytes, gpus })),
    );
  }
  return shunned;
}

/**
 * Ready jobs in the order in which they are claimed, enough of each requirement for everybody who could take some. A
 * claimant that is shunned has a list of its own: of what another one fits for as well, only what does not shun it.
 */
function* listCandidates(
  workflowId: number,
  rooms: readonly { claimant: Claimant; room: Room }[],
  { requirements, shunned }: ClaimBasis,
  now: number,
): Script<(claimant: Claimant) => JobRow[]> {
  const wanted = [...requirements.values()].flatMap((requirement) => {
    const count = rooms.reduce((sum, { room }) => sum + Math.max(0, room.countOf(requirement)), 0);
    return count > 0 ? { requirement, count } : [];
  });
  const list = (others: readonly Offer[], workerId: number) =>
    together<JobRow[][]>(
      ...wanted.map(({ requirement, count }) => {
        const isShunned = others.some((other) => isFitting(requirement, other));
        return listClaimable(workflowId, requirement.id, count, isShunned ? { workerId, now } : null);
      }),
    );
  const owners = [...shunned.keys()];
  const [common, ...own] = yield* together<JobRow[][][]>(
    list([], 0),
    ...owners.map((id) => list(shunned.get(id)!, id)),
  );
  const lists = new Map(owners.map((id, index) => [id, inOrder(own[index]!)]));
  const others = inOrder(common!);
  return ({ worker }) => lists.get(worker.id) ?? others;
}

function inOrder(lists: readonly JobRow[][]): JobRow[] {
  return lists.flat().sort((a, b) => b.priority - a.priority || a.id - b.id);
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
    const caller = job.call_id === null ? null : yield* findCaller(job.call_id);
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

/** Limits hold for all workers of the workflow together, so they are measured in the claiming transaction. */
function* measureLimits(workflow: WorkflowRow, { requirements }: ClaimBasis): Script<Limits> {
  const named = new Map(Object.entries(JSON.parse(workflow.limits) as Record<string, number>));
  let parallel = workflow.max_parallel ?? Number.POSITIVE_INFINITY;
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
