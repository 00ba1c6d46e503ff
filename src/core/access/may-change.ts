/** A person or a program behind a token, and the groups that it is in. */
export interface Principal {
  name: string;
  role: 'viewer' | 'worker' | 'operator' | 'admin';
  groups: readonly string[];
}

/** What decides who may see and change a workflow or a request. */
export interface Ownership {
  /** The name of the token that created it. */
  owner: string;
  /** Empty: everybody may see it. */
  access_groups: readonly string[];
}

export const GROUP_NAME = /^[A-Za-z0-9][\w.@-]{0,63}$/;

const AGENT = 'agent:';

/** An agent acts for the token that it uses. */
export function ownerOf(actor: string): string {
  return actor.startsWith(AGENT) ? actor.slice(AGENT.length) : actor;
}

/** Whether the role is enough is decided elsewhere. */
export function mayChange({ name, role, groups }: Principal, { owner, access_groups }: Ownership): boolean {
  return role === 'admin' || name === owner || access_groups.some((group) => groups.includes(group));
}

/** What belongs to no group is for everybody to see; store/rows/access/readable.ts has the same rule for lists. */
export function mayRead(principal: Principal, ownership: Ownership): boolean {
  return ownership.access_groups.length === 0 || mayChange(principal, ownership);
}
