import type { RequestErrors } from '../../contract/records/request.ts';
import { percent } from '../../core/request/decide-round.ts';

/** `round 2: 30 % of the units failed, 1 rescue`. */
export function errorsHeadline({
  round,
  failure_ratio,
  rescue_count,
}: Pick<RequestErrors, 'round' | 'failure_ratio' | 'rescue_count'>): string {
  const rescues = `${rescue_count} ${rescue_count === 1 ? 'rescue' : 'rescues'}`;
  return `round ${round}: ${percent(failure_ratio)} of the units failed, ${rescues}`;
}

/** Failures that a retry made up for show in the sites alone. */
export function hasSiteFailures({ by_site }: Pick<RequestErrors, 'by_site'>): boolean {
  return Object.values(by_site).some(({ failed }) => failed > 0);
}

/** `attempt 2 and 3 more like it`. */
export function likeItText({
  attempt,
  count,
}: Pick<RequestErrors['groups'][number], 'attempt' | 'count'>): string {
  return `attempt ${attempt}${count === 1 ? '' : ` and ${count - 1} more like it`}`;
}
