import type { Reader } from '../../contract/by.ts';
import type { JobDetails, JobWait } from '../../contract/records/records.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { explainWait, type PlacedWorker, type WaitReason } from '../../core/placement/explain-wait.ts';
import type { ResourceName } from '../../core/placement/shortage.ts';
import {
  findAvoidance,
  type HolderRow,
  listHoldersIn,
  listHoldersOn,
} from '../../store/rows/workers/holding-rows.ts';
import type { WorkerRow } from '../../store/rows/workers/worker-rows.ts';
import {
  listRequirements,
  type StoredRequirement,
  type WorkflowRow,
} from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { readAllocationWaits } from '../allocations/read-allocation-waits.ts';
import { byId } from '../claim/claim-facts.ts';
import { measureLimits, totalLimits } from '../claim/claim-jobs.ts';
import { placeWorkers, takersOf } from '../claim/placed-workers.ts';
import { loadPlaces } from '../claim/places.ts';

/** More holders are counted, not named. */
const HOLDERS_NAMED = 10;
/** More are not named. */
const ALLOCATIONS_NAMED = 5;

/** Why no worker can take the ready job now. `present`: workers that drive its run or hold jobs of it. */
export function* readWaits(
  workflow: WorkflowRow,
  job: JobDetails,
  present: readonly WorkerRow[],
  now: number,
  reader?: Reader,
): Script<JobWait[]> {
  const requirements = byId(yield* listRequirements(workflow.id));
  const places = yield* loadPlaces(workflow, now);
  const situation = { now, ...places, limits: yield* measureLimits(workflow, requirements) };
  const need = { requirement: job.requirement, avoid: yield* findAvoidance(job.id) };
  const workers = yield* placedWorkers(workflow, present, now);
  const reasons = explainWait(need, workers, situation, totalLimits(workflow));
  const waits = yield* waitsForAllocations(workflow, job, reasons, now);
  for (const reason of reasons) {
    // What brings the first worker has been said.
    if (reason.short.kind === 'no_worker' && waits.length > 0) continue;
    const { held_by, holders } = yield* holdersOf(reason, workflow.id, requirements, reader);
    const worker = reason.worker && {
      id: reason.worker.id,
      host: reason.worker.host,
      site: reason.worker.site,
    };
    waits.push({ short: reason.short, worker, total: reason.total, held_by, holders });
  }
  return waits;
}

/** A job that workers cannot take, whatever limits of its workflow say, may wait for an allocation. */
function* waitsForAllocations(
  workflow: WorkflowRow,
  { requirement, config }: JobDetails,
  reasons: readonly WaitReason[],
  now: number,
): Script<JobWait[]> {
  const isForWorkers = reasons.some(({ short }) => short.kind !== 'limit' && short.kind !== 'max_parallel');
  if (workflow.executor !== 'slurm' || !isForWorkers) return [];
  const job = { requirement, scheduler: config.scheduler };
  const shortages = yield* readAllocationWaits(workflow, job, now);
  return shortages
    .slice(0, ALLOCATIONS_NAMED)
    .map((short) => ({ short, worker: null, total: null, held_by: [], holders: 0 }));
}

/** Workers that could be given jobs of the workflow, with what is free on them. */
function* placedWorkers(
  workflow: WorkflowRow,
  present: readonly WorkerRow[],
  now: number,
): Script<PlacedWorker[]> {
  const takers = yield* takersOf(workflow, now);
  return yield* placeWorkers([...takers, ...present.filter(({ kind }) => kind === 'run')], now);
}

function* holdersOf(
  { short, worker }: WaitReason,
  workflowId: number,
  requirements: ReadonlyMap<number, StoredRequirement>,
  reader?: Reader,
): Script<Pick<JobWait, 'held_by' | 'holders'>> {
  if (short.kind === 'resource' && worker !== null) {
    const defaultCpus = worker.whole.free.default_cpus;
    const rows = yield* listHoldersOn(worker.id, short.resource, HOLDERS_NAMED, reader);
    return holding(rows, (row) => takenBy(row, short.resource, defaultCpus));
  }
  if (short.kind === 'limit' || short.kind === 'max_parallel') {
    const amountOf = ({ resources }: StoredRequirement) =>
      short.kind === 'limit' ? (resources[short.name] ?? 0) : 1;
    const taking = [...requirements.values()].filter((each) => amountOf(each) > 0).map(({ id }) => id);
    const rows = yield* listHoldersIn(workflowId, taking, HOLDERS_NAMED);
    return holding(rows, ({ requirement_id }) => amountOf(requirements.get(requirement_id)!));
  }
  return { held_by: [], holders: 0 };
}

function holding(
  rows: readonly HolderRow[],
  amountOf: (row: HolderRow) => number,
): Pick<JobWait, 'held_by' | 'holders'> {
  const held_by = rows.map((row) => {
    const { workflow_id, job_id } = row;
    return { workflow_id, job_id, name: jobLabel(row), amount: amountOf(row) };
  });
  return { held_by, holders: rows[0]?.holders ?? 0 };
}

function takenBy(row: HolderRow, resource: ResourceName, defaultCpus: number): number {
  if (resource === 'slots') return 1;
  return resource === 'cpus' ? (row.cpus ?? defaultCpus) : (row[resource] ?? 0);
}
