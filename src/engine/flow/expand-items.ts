import { type ItemRef, type ItemsPlan, itemKey, planItems } from '../../core/flow/plan-items.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import {
  disableItem,
  hasScope,
  insertItemJobs,
  listBlueprints,
  listItemJobs,
  retireBlueprint,
} from '../../store/rows/flow/item-rows.ts';
import { addJobs } from '../../store/rows/flow/job-route-rows.ts';
import { putItemScopes } from '../../store/rows/flow/scope-rows.ts';
import {
  insertDependencyMembers,
  insertEmptySets,
  listMembershipsOf,
  listMembersOf,
  type Membership,
  recountSetsIn,
  recountSetsOf,
} from '../../store/rows/jobs/dependency-rows.ts';
import type { JobRow } from '../../store/rows/jobs/job-rows.ts';
import type { Script } from '../../store/script.ts';
import type { RunOf } from './follow-flow.ts';

/**
 * The list is there: each job below the producer becomes one job per item. Jobs of an earlier visit are used again;
 * those of items that are no more are disabled. Comes before the producer itself is settled, which releases them.
 */
export function* expandItems(
  workflow: RunOf,
  producer: JobRow,
  items: readonly unknown[],
  now: number,
): Script<void> {
  const prefix = `${producer.scope === '' ? '' : `${producer.scope}/`}${producer.name}`;
  const blueprints = yield* listBlueprints(workflow.id, `${prefix}[*]`);
  const plan = yield* planFor(workflow.id, blueprints, prefix, items.length);
  yield* putItemScopes(
    workflow.id,
    items.map((value, index) => ({ scope: `${prefix}[${index}]`, index, value })),
  );
  const made = yield* makeItems(workflow.id, plan);
  for (let index = items.length; yield* hasScope(workflow.id, `${prefix}[${index}]`); index++) {
    yield* recountSetsOf(yield* disableItem(workflow.id, `${prefix}[${index}]`));
  }
  const first = blueprints.filter(({ blueprint }) => blueprint === 1);
  for (const { id } of first) yield* retireBlueprint(id, items.length > 0);
  yield* recountSetsIn([...made, ...plan.joins]);
  const jobs = plan.jobs.length - (items.length > 0 ? first.length : 0);
  if (jobs !== 0) yield* addJobs(workflow.id, jobs);
  yield* appendEvent({
    workflow_id: workflow.id,
    run_id: workflow.run_id,
    job_id: producer.id,
    at: now,
    type: 'expand',
    reason: items.length === 0 ? 'its list is empty' : `its list has ${items.length} items`,
    data: { items: items.length },
  });
}

function* planFor(
  workflowId: number,
  blueprints: readonly JobRow[],
  prefix: string,
  count: number,
): Script<ItemsPlan> {
  const sets = new Set(blueprints.flatMap(({ dependency_set_id }) => dependency_set_id ?? []));
  const members = groupBy(yield* listMembersOf([...sets]), ({ set_id }) => set_id);
  const links = yield* listMembershipsOf(blueprints.map(({ id }) => id));
  const memberships = groupBy(links, ({ job_id }) => job_id);
  const isKnown = blueprints.some(({ blueprint }) => blueprint === 2);
  const known = isKnown ? yield* listItemJobs(workflowId, prefix) : [];
  return planItems(
    { blueprints, members, memberships },
    `${prefix}[*]`,
    Array.from({ length: count }, (_, index) => `${prefix}[${index}]`),
    new Map(known.map((job) => [itemKey(job), job.id])),
  );
}

/** Writes the plan, in a few statements however many items there are. Returns the sets that were made. */
function* makeItems(workflowId: number, plan: ItemsPlan): Script<number[]> {
  const sets = yield* insertEmptySets(workflowId, plan.sets.length);
  const made = yield* insertItemJobs(
    plan.jobs.map((job) => ({ ...job, set_id: 'made' in job.set ? sets[job.set.made]! : job.set.id })),
  );
  const ids = new Map(made.map((job) => [itemKey(job), job.id]));
  const jobIds = plan.jobs.map((job) => ids.get(itemKey(job))!);
  const idOf = (ref: ItemRef) => ('made' in ref ? jobIds[ref.made]! : ref.id);
  yield* insertDependencyMembers([
    ...plan.sets.flatMap((members, index) =>
      members.map(({ job, kind }) => ({ set_id: sets[index]!, job_id: idOf(job), kind })),
    ),
    ...plan.jobs.flatMap(({ joins }, index) =>
      joins.map(({ set_id, kind }) => ({ set_id, job_id: jobIds[index]!, kind })),
    ),
  ]);
  return sets;
}

function groupBy(
  links: readonly Membership[],
  keyOf: (link: Membership) => number,
): Map<number, Membership[]> {
  const groups = new Map<number, Membership[]>();
  for (const link of links) groups.set(keyOf(link), [...(groups.get(keyOf(link)) ?? []), link]);
  return groups;
}
