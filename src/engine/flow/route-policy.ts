import type { JobConfig } from '../../core/model/workflow-model.ts';
import type { RoutingConfig } from '../../core/policy/routes.ts';
import type { RoutePolicy } from '../../core/policy/take-route.ts';

/** `called`: the job runs because a route called it. */
export function routePolicy(
  { on_fail: onFail, on_success: onSuccess }: JobConfig,
  routing: string,
  called: boolean,
): RoutePolicy | null {
  if (onFail === null && onSuccess === null) return null;
  const { maxLoops } = JSON.parse(routing) as RoutingConfig;
  return { onFail, onSuccess, maxLoops, called };
}
