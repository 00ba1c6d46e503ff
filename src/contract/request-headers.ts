/** Names of headers, in lower case as Node has them. */
export const IDEMPOTENCY_KEY = 'idempotency-key';
export const IDEMPOTENCY_KEY_TEXT = /^[\x20-\x7e]{1,255}$/;
export const BAD_IDEMPOTENCY_KEY = 'must be 1 to 255 printable ASCII characters';
/**
 * Who asks, percent-encoded; for servers that ask nobody for a token. With a token it is the token's name, and of
 * this header only a leading `agent:` counts.
 */
export const ACTOR = 'holdfast-actor';
/** Printable ASCII, and in percent other characters as UTF-8; a few rare ones are taken that this does not say. */
export const ACTOR_TEXT =
  '^(?:[ -$&-~]|%[2-7][0-9A-Ea-e]|%[Cc][3-9A-Fa-f]%[89ABab][0-9A-Fa-f]|%[Dd][0-9A-Fa-f]%[89ABab][0-9A-Fa-f])+$';
/** What a process shows to act for a worker: the secret that it was given when it registered the worker. */
export const WORKER_SECRET = 'holdfast-worker-secret';

/** Of answers with a log. */
export const LOG_HEADERS = {
  runId: 'holdfast-run-id',
  attemptId: 'holdfast-attempt-id',
  offset: 'holdfast-log-offset',
  size: 'holdfast-log-size',
  ended: 'holdfast-log-ended',
} as const;
