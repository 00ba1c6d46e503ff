import { DEFAULT_POST_CODES } from '../../core/job/post-result.ts';
import type { JobConfig } from '../../core/model/workflow-model.ts';
import type { Policy } from '../../core/policy/decision.ts';
import type { FailureHandler, FailureRule } from '../../core/policy/failure-rule.ts';
import { DEFAULT_RETRY } from '../../core/policy/retry-policy.ts';
import type { LiveAttempt } from '../../store/rows/attempts/live-attempt-rows.ts';
import { findHandler, type HandlerRow } from '../../store/rows/workflows/handler-rows.ts';
import type { Script } from '../../store/script.ts';
import { routePolicy } from '../flow/route-policy.ts';

/** Everything that was written about the job when it fails. */
export function* loadPolicy(live: LiveAttempt, config: JobConfig): Script<Policy> {
  return {
    handler: config.failure_handler === null ? null : yield* loadHandler(live.failure_handler_id),
    retry: config.retry,
    deadlineMs: config.deadline_ms,
    usePendingFailed: live.use_pending_failed === 1,
    memoryBytes: live.memory_bytes,
    runtimeMs: config.timeout_ms,
    routes: routePolicy(config, live.routing, live.is_called),
    postCodes: config.post ?? DEFAULT_POST_CODES,
  };
}

/** For what no policy is asked about. */
export const NO_POLICY: Policy = {
  retry: DEFAULT_RETRY,
  handler: null,
  deadlineMs: null,
  usePendingFailed: false,
  memoryBytes: null,
  runtimeMs: null,
  routes: null,
  postCodes: DEFAULT_POST_CODES,
};

function* loadHandler(id: number | null): Script<FailureHandler | 'unreadable'> {
  const row = id === null ? undefined : yield* findHandler(id);
  return row === undefined ? 'unreadable' : readHandler(row);
}

export function readHandler({ name, rules }: HandlerRow): FailureHandler | 'unreadable' {
  try {
    return { name, rules: JSON.parse(rules) as FailureRule[] };
  } catch {
    return 'unreadable';
  }
}
