import { DEFAULT_RETRY, type RetryPolicy } from '../../core/policy/retry-policy.ts';
import { parseDuration } from '../../core/text/quantity.ts';
import type { Findings } from '../findings.ts';
import type { SpecPath } from '../problem.ts';
import type { RetrySpec } from '../schema/retry-schema.ts';

const SPELLINGS = [
  ['initial_retry_delay_ms', 'initial_delay'],
  ['max_retry_delay_ms', 'max_delay'],
] as const;

/** What was written, in the names of the policy. A 0 is a value; only an absent key is filled in. */
export function writtenRetry(
  spec: RetrySpec | undefined,
  path: SpecPath,
  findings: Findings,
): Partial<RetryPolicy> {
  if (!spec) return {};
  const { initial_delay: _, max_delay: __, ...rest } = spec;
  const policy: Partial<RetryPolicy> = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined),
  );
  for (const [milliseconds, other] of SPELLINGS) {
    const value = spec[other];
    if (value === undefined) continue;
    if (spec[milliseconds] !== undefined) {
      findings.error([...path, other], `${other} and ${milliseconds} say the same thing; keep one of them`, {
        atKey: true,
      });
    }
    policy[milliseconds] = parseDuration(value, 1000) ?? DEFAULT_RETRY[milliseconds];
  }
  return policy;
}

/** Earlier layers win over later ones, key by key. */
export function layeredRetry(...layers: Partial<RetryPolicy>[]): RetryPolicy {
  return Object.assign({}, DEFAULT_RETRY, ...layers.toReversed()) as RetryPolicy;
}
