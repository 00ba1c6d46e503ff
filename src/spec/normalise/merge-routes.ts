import { DEFAULT_REATTEMPT, type FailRoutes, type Routes } from '../../core/policy/routes.ts';
import type { DependencyGraph } from './dependencies/dependency-graph.ts';
import { isSameScope, type ScopePath } from './dependencies/scope-path.ts';
import type { FoundRoutes, JobRoutes, WorkflowRoutes } from './find-routes.ts';

/** What decides where a route may lead. */
export interface Layout {
  graph: DependencyGraph;
  paths: readonly ScopePath[];
  onCall: ReadonlySet<number>;
}

/** The routes of a job with the defaults of the workflow in them. */
export interface MergedRoutes {
  onFail: FoundRoutes | null;
  onSuccess: FoundRoutes | null;
}

/**
 * Defaults stand in for the keys that a job does not have, as far as they mean something there: no job remediates
 * what remediates it, a jump needs an ancestor, and `retry` is a choice of its own.
 */
export function mergeRoutes(
  { jobs, defaults }: WorkflowRoutes,
  { graph, paths, onCall }: Layout,
  hasRetry: (job: number) => boolean,
): MergedRoutes[] {
  if (defaults === null) return jobs.map(withoutNone);
  const remediators = reachedFrom(defaults, jobs);
  const target = defaults.goto?.job;
  const mayJump = target === undefined ? new Set<number>() : graph.descendantsOf(target);
  const mayCall = (called: number, job: number) =>
    onCall.has(called) || (!onCall.has(job) && isSameScope(paths[called]!, paths[job]!));

  return jobs.map((own, job) => {
    if (own.onFail === 'none') return withoutNone(own);
    const isAtTarget = target !== undefined && mayJump.has(job) && isSameScope(paths[target]!, paths[job]!);
    const run = remediators.has(job) ? null : defaults.run;
    return {
      onSuccess: own.onSuccess,
      onFail: {
        path: own.onFail?.path ?? defaults.path,
        reattempt: own.onFail?.reattempt ?? (hasRetry(job) ? null : defaults.reattempt),
        run: own.onFail?.run ?? run?.filter((each) => mayCall(each.job, job)) ?? null,
        runJs: own.onFail?.runJs ?? defaults.runJs,
        goto: own.onFail?.goto ?? (isAtTarget && !onCall.has(job) ? defaults.goto : null),
        gotoJs: own.onFail?.gotoJs ?? (onCall.has(job) ? null : defaults.gotoJs),
      },
    };
  });
}

const NOWHERE: MergedRoutes = { onFail: null, onSuccess: null };

function withoutNone({ onFail, onSuccess }: JobRoutes): MergedRoutes {
  if (onFail === null && onSuccess === null) return NOWHERE;
  return { onFail: onFail === 'none' ? null : onFail, onSuccess };
}

/** What the default runs, and what that runs in turn. */
function reachedFrom({ run }: FoundRoutes, jobs: readonly JobRoutes[]): Set<number> {
  const reached = new Set<number>();
  const open = (run ?? []).map(({ job }) => job);
  for (let job = open.pop(); job !== undefined; job = open.pop()) {
    if (reached.has(job)) continue;
    reached.add(job);
    const { onFail, onSuccess } = withoutNone(jobs[job]!);
    for (const called of [...(onFail?.run ?? []), ...(onSuccess?.run ?? [])]) open.push(called.job);
  }
  return reached;
}

type Named = readonly { name: string }[];

/** Routes of the model; null if they lead nowhere. */
export function routesOf(found: FoundRoutes | null, jobs: Named): Routes | null {
  if (found === null) return null;
  const routes: Routes = {
    run: found.run?.map(({ job }) => jobs[job]!.name) ?? [],
    run_js: found.runJs,
    goto: found.goto === null ? null : jobs[found.goto.job]!.name,
    goto_js: found.gotoJs,
  };
  const { run, run_js: runJs, goto, goto_js: gotoJs } = routes;
  return run.length === 0 && (runJs ?? goto ?? gotoJs) === null ? null : routes;
}

export function failRoutesOf(found: FoundRoutes | null, jobs: Named): FailRoutes | null {
  const routes = routesOf(found, jobs);
  const reattempt = found?.reattempt ?? DEFAULT_REATTEMPT;
  if (routes === null && reattempt.max === 0) return null;
  return { ...(routes ?? { run: [], run_js: null, goto: null, goto_js: null }), reattempt };
}
