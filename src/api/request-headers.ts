/** Names of headers, in lower case as Node has them. */
export const IDEMPOTENCY_KEY = 'idempotency-key';
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
