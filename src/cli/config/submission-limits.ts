import { formatSize, parseSize } from '../../core/text/quantity.ts';
import {
  DEFAULT_SUBMISSION_LIMITS,
  type RoleLimits,
  type SubmissionLimits,
} from '../../server/submission/submission-limits.ts';

const SIZES = ['size', 'expanded'] as const;
/** A text of this length is still one that JavaScript can hold several times. */
const LARGEST_SIZE = 64 * 1024 ** 2;

/** `{operator: {jobs: 100000, size: 8m, expanded: 256m}}`, from YAML or as JSON; what is left out stays. */
export function parseSubmissionLimits(raw: unknown): { value: RoleLimits } | { problem: string } {
  const roles = typeof raw === 'string' ? parseJson(raw) : raw;
  if (!isObject(roles)) return { problem: 'must be operator and admin with their limits' };
  const value = structuredClone(DEFAULT_SUBMISSION_LIMITS);
  for (const [role, limits] of Object.entries(roles)) {
    if (role !== 'operator' && role !== 'admin') {
      return { problem: `must have limits for operator and admin, not for ${role}` };
    }
    const problem = isObject(limits) ? change(value[role], limits) : 'must be limits';
    if (problem !== null) return { problem: `${role}: ${problem}` };
  }
  return { value };
}

export function showSubmissionLimits(limits: RoleLimits): string {
  return Object.entries(limits)
    .map(([role, { size, jobs, expanded }]) => {
      return `${role}: ${jobs} jobs, ${formatSize(size)}, ${formatSize(expanded)} expanded`;
    })
    .join('; ');
}

/** What is wrong, or null. */
function change(limits: SubmissionLimits, written: Record<string, unknown>): string | null {
  for (const [key, raw] of Object.entries(written)) {
    if (key === 'jobs') {
      if (!Number.isSafeInteger(raw) || (raw as number) < 1)
        return 'jobs must be a whole number of at least 1';
      limits.jobs = raw as number;
      continue;
    }
    const name = SIZES.find((each) => each === key);
    if (name === undefined) return `must have size, jobs or expanded, not ${key}`;
    const bytes = typeof raw === 'string' || typeof raw === 'number' ? parseSize(raw) : undefined;
    if (bytes === undefined || bytes < 1) return `${name} must be a size like 8m`;
    if (name === 'size' && bytes > LARGEST_SIZE) return `size must be at most ${formatSize(LARGEST_SIZE)}`;
    limits[name] = bytes;
  }
  return null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
