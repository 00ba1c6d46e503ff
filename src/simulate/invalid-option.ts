import { HoldfastError } from '../core/errors.ts';

export function invalidOption(argument: string, problem: string): never {
  throw new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
