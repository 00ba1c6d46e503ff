/** Names of headers, in lower case as Node has them. */
export const IDEMPOTENCY_KEY = 'idempotency-key';
export const IDEMPOTENCY_KEY_TEXT = /^[\x20-\x7e]{1,255}$/;
export const BAD_IDEMPOTENCY_KEY = 'must be 1 to 255 printable ASCII characters';
/**
 * Who asks, percent-encoded; for servers that ask nobody for a token. With a token it is the token's name, and of
 * this header only a leading `agent:` counts.
 */
export const ACTOR = 'holdfast-actor';

/** Of answers with a log. */
export const LOG_HEADERS = {
  runId: 'holdfast-run-id',
  attemptId: 'holdfast-attempt-id',
  offset: 'holdfast-log-offset',
  size: 'holdfast-log-size',
  ended: 'holdfast-log-ended',
} as const;
