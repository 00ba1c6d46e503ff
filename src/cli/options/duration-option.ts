import { HoldfastError } from '../../core/errors.ts';
import { formatDuration, parseDuration } from '../../core/text/quantity.ts';

/** The value of an option that must be a duration of at least `leastMs`; undefined if it was not given. */
export function durationOption(
  name: string,
  value: string | boolean | undefined,
  leastMs = 1,
): number | undefined {
  if (value === undefined) return undefined;
  const ms = parseDuration(String(value), 1000);
  if (ms !== undefined && ms >= leastMs) return ms;
  const least = leastMs > 1 ? ` of at least ${formatDuration(leastMs)}` : ' like 30s or 2h';
  throw new HoldfastError('INVALID_ARGUMENT', {
    argument: name,
    problem: `must be a duration${least}, not ${value}`,
  });
}
