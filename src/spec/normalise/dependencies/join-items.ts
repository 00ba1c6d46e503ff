import type { Findings } from '../../findings.ts';
import type { JobDraft } from '../job-draft.ts';
import { withoutIdleGroups } from './any-of.ts';
import { DependencySets } from './dependency-sets.ts';
import type { Dependencies } from './resolve-dependencies.ts';
import type { ScopePath } from './scope-path.ts';

/**
 * The dependencies with what reduce steps join. Of a step that runs in items it is enough that all of them have
 * ended. The step that makes the items must not have failed, or it would not be known which there are; if it is
 * disabled, there are none.
 */
export function joinItems(
  drafts: readonly JobDraft[],
  dependencies: Dependencies,
  paths: readonly ScopePath[],
  findings: Findings,
): Dependencies {
  if (!drafts.some(({ reduces }) => reduces)) return dependencies;
  const sets = new DependencySets();
  const setOf = dependencies.setOf.map((index, job) => {
    if (index === null) return null;
    const { members, anyOf } = dependencies.sets[index]!;
    const path = paths[job]!;
    const joined = drafts[job]!.reduces
      ? members.filter((member) => paths[member]!.length > path.length)
      : [];
    const alone = members.filter((member) => !anyOf.some((group) => group.includes(member)));
    if (joined.length === 0) {
      const lists = alone.filter((member) => drafts[job]!.reduces && drafts[member]!.settings.for_each);
      return sets.add(members, { producers: lists, anyOf });
    }
    const producers = joined.map((member) => paths[member]![path.length]!);
    const mixed = anyOf.flat().find((member) => joined.includes(member));
    if (mixed !== undefined) {
      findings.error(
        [...drafts[job]!.path, 'depends_on'],
        `it waits for every item of "${drafts[mixed]!.name}", so that cannot be one of several; name it without |`,
      );
    }
    const wanted = withoutIdleGroups({ members: [...alone, ...producers], anyOf });
    return sets.add(wanted.members, { joined, producers, anyOf: wanted.anyOf });
  });
  return { ...dependencies, setOf, sets: sets.sets };
}
