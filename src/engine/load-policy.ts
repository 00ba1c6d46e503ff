import type { Policy } from '../core/decision.ts';
import type { FailureHandler, FailureRule } from '../core/failure-rule.ts';
import type { RoutingConfig } from '../core/routes.ts';
import type { RoutePolicy } from '../core/take-route.ts';
import type { JobConfig } from '../core/workflow-model.ts';
import type { LiveAttempt } from '../store/attempt-rows.ts';
import { findHandler, type HandlerRow } from '../store/handler-rows.ts';
import type { Script } from '../store/script.ts';

/** Everything that was written about the job when it fails. */
export function* loadPolicy(live: LiveAttempt, config: JobConfig): Script<Policy> {
  return {
    handler: config.failureHandler === null ? null : yield* loadHandler(live.failure_handler_id),
    retry: config.retry,
    deadlineMs: config.deadlineMs,
    usePendingFailed: live.use_pending_failed === 1,
    memoryBytes: live.memory_bytes,
    runtimeMs: config.timeoutMs,
    routes: routePolicy(config, live.routing, live.call_id !== null),
  };
}

/** `called`: the job runs because a route called it. */
export function routePolicy(
  { onFail, onSuccess }: JobConfig,
  routing: string,
  called: boolean,
): RoutePolicy | null {
  if (onFail === null && onSuccess === null) return null;
  const { maxLoops } = JSON.parse(routing) as RoutingConfig;
  return { onFail, onSuccess, maxLoops, called };
}

/** For what no policy is asked about. */
export const NO_POLICY: Omit<Policy, 'retry'> = {
  handler: null,
  deadlineMs: null,
  usePendingFailed: false,
  memoryBytes: null,
  runtimeMs: null,
  routes: null,
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
