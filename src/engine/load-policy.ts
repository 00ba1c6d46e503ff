import type { Policy } from '../core/decide.ts';
import type { FailureHandler, FailureRule } from '../core/failure-rule.ts';
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
  };
}

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
