import { HoldfastError } from '../../core/errors.ts';

/** The value of an option that must be a whole number of at least `least`; undefined if it was not given. */
export function wholeNumberOption(
  name: string,
  value: string | boolean | undefined,
  least = 1,
): number | undefined {
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : -1;
  if (number >= least) return number;
  throw new HoldfastError('INVALID_ARGUMENT', {
    argument: name,
    problem: `must be a whole number of at least ${least}, not ${value}`,
  });
}
