import type { CodeKey } from '../job/evaluation.ts';
import { type FailRoutes, type Routes, reattemptDelayMs } from './routes.ts';

/** What a user wrote about where the ends of one job lead. */
export interface RoutePolicy {
  onFail: FailRoutes | null;
  onSuccess: Routes | null;
  maxLoops: number;
  /** The job runs because a route called it, outside the order of the graph: it may not jump. */
  called: boolean;
}

/** What `run_js` and `goto_js` said, already checked; a failed evaluation says nothing, so that static keys apply. */
export interface DynamicRoutes {
  /** Absent: not asked yet. */
  run?: string[];
  /** null: the static `goto` applies. false: no jump. Absent: not asked yet. */
  goto?: string | false | null;
}

/** What the store knows of the routes taken so far. */
export interface RouteHistory {
  /** Re-attempts of `on_fail` in this visit. */
  reattempts: number;
  /** Re-attempts and jumps in the scope. */
  loops: number;
}

export type RouteAnswer =
  | { kind: 'none'; because: string }
  /** Code has to be asked first. */
  | { kind: 'evaluate'; keys: CodeKey[] }
  | { kind: 'retry'; run: string[]; delayMs: number; because: string }
  | { kind: 'call'; run: string[]; because: string }
  | { kind: 'goto'; target: string; because: string }
  | { kind: 'loop_abort'; because: string }
  /** There were re-attempts, and they are used up. */
  | { kind: 'used_up'; because: string };

/** Remediation and re-attempts, then an ancestor. */
export function routeFailure(
  policy: RoutePolicy,
  dynamic: DynamicRoutes,
  history: RouteHistory,
  /** Why doing the same thing again would not help; null if it may. */
  final: string | null,
): RouteAnswer {
  const routes = policy.onFail;
  if (routes === null) return { kind: 'none', because: 'it has no on_fail' };
  const unanswered = unansweredKeys(routes, dynamic, ['run_js', 'goto_js']);
  if (unanswered.length > 0) return { kind: 'evaluate', keys: unanswered };

  const run = mergeRun(routes.run, dynamic.run);
  const max = routes.reattempt.max > 0 ? routes.reattempt.max : run.length > 0 ? 1 : 0;
  const mayRepeat = max > 0 && (final === null || run.length > 0);
  if (mayRepeat && history.reattempts < max) {
    if (history.loops >= policy.maxLoops) return loopAbort(policy, 'a re-attempt');
    const number = history.reattempts + 1;
    const first = run.length > 0 ? `${run.join(', ')}, then ` : '';
    return {
      kind: 'retry',
      run,
      delayMs: reattemptDelayMs(routes.reattempt, number),
      because: `on_fail: ${first}re-attempt ${number} of ${max}`,
    };
  }
  const jump = takeJump(policy, routes, dynamic, history.loops, 'on_fail');
  if (jump.kind !== 'none') return jump;
  if (max > 0 && history.reattempts >= max) {
    const used = `no re-attempts left (${max} of ${max} used)`;
    return { kind: 'used_up', because: `on_fail: ${used}; ${jump.because}` };
  }
  return final !== null && max > 0
    ? { kind: 'none', because: `on_fail would only repeat it; ${jump.because}` }
    : jump;
}

/** Steps to run, and when they have ended, an ancestor. */
export function routeSuccess(
  policy: RoutePolicy,
  dynamic: DynamicRoutes,
  loops: number,
  /** The steps to run have ended. */
  callsEnded: boolean,
): RouteAnswer {
  const routes = policy.onSuccess;
  if (routes === null) return { kind: 'none', because: 'it has no on_success' };
  if (!callsEnded) {
    const unanswered = unansweredKeys(routes, dynamic, ['run_js']);
    if (unanswered.length > 0) return { kind: 'evaluate', keys: unanswered };
    const run = mergeRun(routes.run, dynamic.run);
    if (run.length > 0) return { kind: 'call', run, because: `on_success: runs ${run.join(', ')}` };
  }
  if (!policy.called) {
    const unanswered = unansweredKeys(routes, dynamic, ['goto_js']);
    if (unanswered.length > 0) return { kind: 'evaluate', keys: unanswered };
  }
  return takeJump(policy, routes, dynamic, loops, 'on_success');
}

function takeJump(
  policy: RoutePolicy,
  routes: Routes,
  dynamic: DynamicRoutes,
  loops: number,
  key: 'on_fail' | 'on_success',
): RouteAnswer {
  const target = dynamic.goto === false ? null : (dynamic.goto ?? routes.goto);
  if (target === null) {
    const because = dynamic.goto === false ? `${key}: goto_js says no jump` : `${key} names no step to go to`;
    return { kind: 'none', because };
  }
  if (policy.called) return { kind: 'none', because: 'a step that was called does not jump' };
  if (loops >= policy.maxLoops) return loopAbort(policy, `a goto to ${target}`);
  return { kind: 'goto', target, because: `${key}: goes back to ${target}` };
}

function loopAbort({ maxLoops }: RoutePolicy, what: string): RouteAnswer {
  return {
    kind: 'loop_abort',
    because: `loop_abort: ${what} would be more than the ${maxLoops} of max_loops`,
  };
}

function unansweredKeys(routes: Routes, dynamic: DynamicRoutes, keys: CodeKey[]): CodeKey[] {
  return keys.filter((key) =>
    key === 'run_js'
      ? routes.run_js !== null && dynamic.run === undefined
      : routes.goto_js !== null && dynamic.goto === undefined,
  );
}

function mergeRun(fixed: readonly string[], dynamic: readonly string[] = []): string[] {
  return [...new Set([...fixed, ...dynamic])];
}
