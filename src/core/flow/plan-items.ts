/** A job that stands for the jobs of items. */
export interface Blueprint {
  id: number;
  name: string;
  scope: string;
  dependency_set_id: number | null;
}

/** Blueprints of a forEach with the sets around them. */
export interface BlueprintGraph {
  blueprints: readonly Blueprint[];
  /** By set that a blueprint waits for. */
  members: ReadonlyMap<number, readonly { job_id: number; kind: number }[]>;
  /** By blueprint: the sets that it is a member of. */
  memberships: ReadonlyMap<number, readonly { set_id: number; kind: number }[]>;
}

/** A job that there is, or one that the plan makes, by its place in the plan. */
export type ItemRef = { id: number } | { made: number };

export interface ItemJob {
  blueprint_id: number;
  name: string;
  scope: string;
  /** It stands for the jobs of items within this item. */
  is_blueprint: boolean;
  /** What it waits for: a set that all items share, or one that the plan makes, by its place in the plan. */
  set: { id: number | null } | { made: number };
  /** Sets further out that join the items. */
  joins: readonly { set_id: number; kind: number }[];
}

/** What is to be made for the items. */
export interface ItemsPlan {
  jobs: ItemJob[];
  /** A set of one item: its members. */
  sets: { job: ItemRef; kind: number }[][];
  /** Sets further out whose members change. */
  joins: number[];
}

export const itemKey = ({ name, scope }: { name: string; scope: string }): string => `${name}@${scope}`;

/**
 * Each job below the producer becomes one job per item. `pattern` is the scope of the blueprints, `scopes` those of the
 * items, `known` the jobs of items of an earlier visit, which are used again.
 */
export function planItems(
  { blueprints, members, memberships }: BlueprintGraph,
  pattern: string,
  scopes: readonly string[],
  known: ReadonlyMap<string, number>,
): ItemsPlan {
  const ids = new Set(blueprints.map(({ id }) => id));
  // A set that has blueprints as members is made for each item; all others are shared by the items.
  const isOwn = (setId: number) => members.get(setId)?.some(({ job_id }) => ids.has(job_id)) === true;
  const joinsOf = (id: number) => (memberships.get(id) ?? []).filter(({ set_id }) => !members.has(set_id));
  const plan: ItemsPlan = { jobs: [], sets: [], joins: [] };
  for (const scope of scopes) {
    const copies = new Map<number, ItemRef>();
    const created: Blueprint[] = [];
    for (const blueprint of blueprints) {
      const own = scope + blueprint.scope.slice(pattern.length);
      const earlier = known.get(itemKey({ name: blueprint.name, scope: own }));
      if (earlier !== undefined) copies.set(blueprint.id, { id: earlier });
      else {
        copies.set(blueprint.id, { made: plan.jobs.length });
        created.push(blueprint);
        plan.jobs.push({
          blueprint_id: blueprint.id,
          name: blueprint.name,
          scope: own,
          is_blueprint: own !== scope,
          set: { id: blueprint.dependency_set_id },
          joins: joinsOf(blueprint.id),
        });
      }
    }
    const made = new Map<number, number>();
    for (const { id, dependency_set_id: setId } of created) {
      if (setId === null || !isOwn(setId)) continue;
      const place = made.get(setId) ?? plan.sets.length;
      if (!made.has(setId)) {
        made.set(setId, place);
        plan.sets.push(
          members
            .get(setId)!
            .map(({ job_id, kind }) => ({ job: copies.get(job_id) ?? { id: job_id }, kind })),
        );
      }
      plan.jobs[(copies.get(id) as { made: number }).made]!.set = { made: place };
    }
  }
  plan.joins = [...new Set(blueprints.flatMap(({ id }) => joinsOf(id).map(({ set_id }) => set_id)))];
  return plan;
}
