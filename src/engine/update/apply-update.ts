import { decodeConfig, encodeConfig } from '../../core/model/config-text.ts';
import type { StoredJob } from '../../core/model/workflow-parts.ts';
import type { EditedWorkflow, StoredWorkflow } from '../../core/rerun/edited-workflow.ts';
import { canonical } from '../../core/rerun/field-kinds.ts';
import type { RowWrite } from '../../core/rerun/update-plan.ts';
import {
  hideJobs,
  recountJobs,
  renewBlueprints,
  type WrittenJob,
  writeDefinitions,
} from '../../store/rows/jobs/definition-rows.ts';
import {
  clearEmptySets,
  deleteMembershipsOf,
  deleteUnusedSets,
  insertDependencyMembers,
  insertEmptySets,
  listMembershipsOf,
  recountSetsIn,
  recountSetsOf,
} from '../../store/rows/jobs/dependency-rows.ts';
import { countNewJobs, insertJobs } from '../../store/rows/jobs/new-job-rows.ts';
import { markReset, markRevived } from '../../store/rows/jobs/reset-rows.ts';
import { insertRequirement } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { beginNextRun, startWaiting } from '../flow/begin-run.ts';
import type { RunOf } from '../flow/follow-flow.ts';
import { endReplacedRun, endRunIfComplete } from '../runs/end-run.ts';
import { holdBackAnew } from '../runs/hold-back.ts';
import { applyActions, applyHandlers, applyParts, removeHandlers } from './apply-parts.ts';
import type { WorkflowChange } from './workflow-change.ts';

/** Makes the stored workflow what the edited spec says. Returns the run in which it continues. */
export function* applyUpdate(update: WorkflowChange, now: number): Script<RunOf> {
  const { workflow, stored, plan } = update;
  yield* applyParts(update, now);
  const jobIds = yield* writeJobs(update);
  yield* renewBlueprints(plan.renews);
  yield* applyActions(update, jobIds);
  const losing = yield* removeJobs(plan.removes);
  yield* removeHandlers(update);
  if (losing.length > 0 || plan.writes.some(({ set }) => set !== undefined)) {
    yield* deleteUnusedSets(workflow.id);
  }
  yield* recountJobs(workflow.id);
  yield* countNewJobs(plan.inserts.length);
  yield* holdBackAnew(workflow, now);
  if (plan.mode === 'new_run') {
    const configs = new Map(stored.jobs.map(({ id, config }) => [id, config]));
    const resets = [...plan.resets, ...plan.revives].map((id) => ({ id, config: configs.get(id)! }));
    yield* endReplacedRun(workflow, now);
    const next = yield* beginNextRun(workflow, resets, 'update', now);
    yield* endRunIfComplete(next, now);
    return next;
  }
  yield* markReset(plan.resets);
  yield* markRevived(plan.revives);
  // Those of revived jobs were counted when the jobs were still disabled.
  yield* recountSetsOf(plan.revives);
  yield* recountSetsIn(losing);
  if (losing.length > 0) yield* clearEmptySets(workflow.id);
  yield* startWaiting(workflow, now);
  yield* endRunIfComplete(workflow, now);
  return workflow;
}

/** Returns the sets that lost members. */
function* removeJobs(ids: readonly number[]): Script<number[]> {
  if (ids.length === 0) return [];
  const links = yield* listMembershipsOf(ids);
  yield* deleteMembershipsOf(ids);
  yield* hideJobs(ids);
  return links.map(({ set_id }) => set_id);
}

/** Writes and inserts jobs with what they refer to. Returns the ids of rows by their places in the edited spec. */
function* writeJobs({ workflow, stored, edited, plan }: WorkflowChange): Script<Map<number, number>> {
  const { known_sets, writes, inserts } = plan;
  const requirementIds = yield* storeRequirements(workflow.id, stored, edited);
  const handlerIds = yield* applyHandlers({ workflow, stored, edited, plan });
  const needed = new Set<number>();
  for (const set of [
    ...writes.map(({ set }) => set),
    ...inserts.map((place) => edited.jobs[place]!.dependency_set),
  ]) {
    if (set !== undefined && set !== null && !known_sets.has(set)) needed.add(set);
  }
  const places = [...needed];
  const made = yield* insertEmptySets(workflow.id, places.length);
  const setIds = new Map([...known_sets, ...places.map((set, index) => [set, made[index]!] as const)]);
  const setOf = (set: number | null) => (set === null ? null : setIds.get(set)!);
  yield* writeDefinitions(
    writes.map((write) => written(write, edited.jobs[write.edited]!, { requirementIds, handlerIds, setOf })),
  );
  const inserted = yield* insertJobs(
    workflow.id,
    inserts.map((place) => {
      const job = edited.jobs[place]!;
      return {
        job: { ...job, status: 'uninitialized' as const },
        requirement_id: requirementIds[job.requirement]!,
        dependency_set_id: setOf(job.dependency_set),
        failure_handler_id:
          job.failure_handler === null ? null : (handlerIds.get(job.failure_handler) ?? null),
        gives_up_at: null,
      };
    }),
  );
  const jobIds = rowIds({ stored, edited, plan }, inserted);
  yield* insertDependencyMembers(
    places.flatMap((set, index) =>
      edited.sets[set]!.flatMap(({ job, kind }) =>
        [jobIds.get(job)!, ...(plan.copies.get(job) ?? [])].map((job_id) => ({
          set_id: made[index]!,
          job_id,
          kind,
        })),
      ),
    ),
  );
  yield* recountSetsIn(made);
  return jobIds;
}

interface References {
  requirementIds: readonly number[];
  handlerIds: ReadonlyMap<string, number>;
  setOf: (set: number | null) => number | null;
}

function written(
  write: RowWrite,
  job: StoredJob,
  { requirementIds, handlerIds, setOf }: References,
): WrittenJob {
  const { row, keeps_resources: keeps, set } = write;
  return {
    id: row.id,
    job: row.scope === job.scope ? job : { ...job, claim_rank: row.claim_rank },
    config: keeps ? withTimeoutOf(row.config, job.config) : job.config,
    requirement_id: keeps ? row.requirement_id : requirementIds[job.requirement]!,
    specified: keeps ? row.specified : null,
    dependency_set_id: set === undefined ? row.dependency_set_id : setOf(set),
    failure_handler_id: job.failure_handler === null ? null : (handlerIds.get(job.failure_handler) ?? null),
    blueprint: row.blueprint === 3 ? (job.blueprint ? 1 : 0) : row.blueprint,
  };
}

function withTimeoutOf(stored: string, edited: string): string {
  return encodeConfig({ ...decodeConfig(edited), timeout_ms: decodeConfig(stored).timeout_ms });
}

/** By their places in the edited spec. */
function* storeRequirements(
  workflowId: number,
  stored: StoredWorkflow,
  edited: EditedWorkflow,
): Script<number[]> {
  const known = new Map([...stored.requirements].map(([id, value]) => [canonical(value), id]));
  const ids: number[] = [];
  for (const value of edited.requirements) {
    ids.push(known.get(canonical(value)) ?? (yield* insertRequirement(workflowId, value)));
  }
  return ids;
}

function rowIds(
  { stored, edited, plan }: Pick<WorkflowChange, 'stored' | 'edited' | 'plan'>,
  inserted: readonly number[],
): Map<number, number> {
  const known = new Map(stored.jobs.map(({ id, name, scope }) => [`${name}\0${scope}`, id]));
  const ids = new Map(plan.inserts.map((place, index) => [place, inserted[index]!]));
  for (const [place, { name, scope }] of edited.jobs.entries()) {
    if (!ids.has(place)) ids.set(place, known.get(`${name}\0${scope}`)!);
  }
  return ids;
}
