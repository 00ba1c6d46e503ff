import { type ErrorCode, HoldfastError } from '../../core/errors.ts';

/** The engine may only be away for a while, or have no space: nothing about the question was wrong. */
const PASSING = new Set<ErrorCode>([
  'SERVER_UNREACHABLE',
  'SHUTTING_DOWN',
  'DATABASE_UNREACHABLE',
  'STORE_FAILED',
  'DISK_FULL',
]);

/** The engine has given the worker up, or never knew it. */
const GIVEN_UP = new Set<ErrorCode>([
  'WORKER_RETIRED',
  'WORKER_NOT_FOUND',
  'NOT_THAT_WORKER',
  'STALE_EXCHANGE',
  'DATABASE_RESTORED',
]);

export function isPassing(error: unknown): error is HoldfastError {
  return error instanceof HoldfastError && PASSING.has(error.code);
}

export function isGivenUp(error: unknown): error is HoldfastError {
  return error instanceof HoldfastError && GIVEN_UP.has(error.code);
}

/** Such as a token that was revoked, or a server that was started under another name: an operator can put it right. */
export function isCorrigible(error: unknown): error is HoldfastError {
  return error instanceof HoldfastError && !GIVEN_UP.has(error.code);
}
