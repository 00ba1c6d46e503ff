import type { Role } from '../../contract/roles.ts';

/** What one submission may ask of a server. */
export interface SubmissionLimits {
  /** Bytes of the request. */
  size: number;
  /** Jobs after expansion. */
  jobs: number;
  /** Bytes of all jobs together, after expansion. */
  expanded: number;
}

/** Roles that may submit, each with its limits. */
export type RoleLimits = Record<'operator' | 'admin', SubmissionLimits>;

const MB = 1024 * 1024;

export const DEFAULT_SUBMISSION_LIMITS: RoleLimits = {
  operator: { size: 8 * MB, jobs: 100_000, expanded: 256 * MB },
  admin: { size: 8 * MB, jobs: 1_000_000, expanded: 1024 * MB },
};

export function limitsOf(role: Role, limits: RoleLimits): SubmissionLimits {
  return role === 'admin' ? limits.admin : limits.operator;
}

/** The largest request that anybody may send. */
export function largestSize(limits: RoleLimits): number {
  return Math.max(...Object.values(limits).map(({ size }) => size));
}
