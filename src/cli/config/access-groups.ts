import { GROUP_NAME } from '../../core/access/may-change.ts';
import { isObject, jsonOrNothing } from './notify-targets.ts';

/** Names of tokens by group. */
export type AccessGroups = Record<string, string[]>;

/** As names of tokens are. */
const MEMBER = /^[\w.@-]{1,64}$/;

/** `{climate: [ada, grace]}`, from YAML or as JSON. */
export function parseAccessGroups(raw: unknown): { value: AccessGroups } | { problem: string } {
  const groups = typeof raw === 'string' ? jsonOrNothing(raw) : raw;
  if (!isObject(groups))
    return { problem: 'must be groups with the names of their tokens: {climate: [ada]}' };
  for (const [group, members] of Object.entries(groups)) {
    if (!GROUP_NAME.test(group)) {
      return {
        problem: `${JSON.stringify(group)} is no group: at most 64 letters, digits and . _ @ -, beginning with a letter or digit`,
      };
    }
    if (!Array.isArray(members)) return { problem: `${group} must be a list of names of tokens` };
    const wrong: unknown = members.find((member) => typeof member !== 'string' || !MEMBER.test(member));
    if (wrong !== undefined) return { problem: `${group}: ${JSON.stringify(wrong)} is no name of a token` };
  }
  return { value: groups as AccessGroups };
}

export function showAccessGroups(groups: AccessGroups): string {
  const shown = Object.entries(groups).map(
    ([group, members]) => `${group}: ${members.join(', ') || 'nobody'}`,
  );
  return shown.join('; ') || 'none';
}
