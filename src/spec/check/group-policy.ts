import type { Problem } from '../problem.ts';
import { readSource } from '../source/read-source.ts';
import { foundProblems } from '../source-problems.ts';
import { didYouMean } from '../suggest.ts';

/** Which groups `access_groups` of a spec may name. */
export interface GroupPolicy {
  /** All groups that there are. */
  known: string[];
  /** Those of the submitter; null: any. */
  own: string[] | null;
}

/** Entries of `access_groups` that are refused, with their places in the spec. Without a policy there are none. */
export function groupProblems(
  { text, name }: { text: string; name: string },
  groups: readonly string[],
  policy: GroupPolicy | null,
): Problem[] {
  if (policy === null) return [];
  const refused = groups.flatMap((group, index) => {
    const message = refusedGroup(group, policy);
    return message === null ? [] : { path: ['access_groups', index], message };
  });
  const source = refused.length === 0 ? null : readSource(text, name);
  return source?.ok === true ? foundProblems(refused, name, source.locate) : [];
}

function refusedGroup(group: string, { known, own }: GroupPolicy): string | null {
  if (!known.includes(group)) {
    // Names of groups that the submitter is not in are not given away.
    const near = didYouMean(group, own ?? known);
    return `the server has no group ${JSON.stringify(group)} in \`access_groups\` of its configuration${near}`;
  }
  if (own === null || own.includes(group)) return null;
  const groups = own.length === 0 ? 'you are in no group' : `you are in ${own.join(', ')}`;
  return `you are not in the group ${JSON.stringify(group)}, and ${groups}; an admin can submit this`;
}
