export const ROLES = ['viewer', 'worker', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];
/** The role that something needs; `any`: every token is enough. */
export type NeededRole = Role | 'any';

/** A worker only works, and an operator does not: whoever works for a server is given the secrets of its jobs. */
const COVERED: Record<Role, readonly Role[]> = {
  viewer: ['viewer'],
  worker: ['worker'],
  operator: ['viewer', 'operator'],
  admin: ROLES,
};

export function mayDo(role: Role, needed: NeededRole): boolean {
  return needed === 'any' || COVERED[role].includes(needed);
}
