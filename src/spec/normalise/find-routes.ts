import type { ReattemptPolicy } from '../../core/policy/routes.ts';
import type { Findings } from '../findings.ts';
import type { SpecPath } from '../problem.ts';
import { isStandIn } from '../schema/reading/parse-structure.ts';
import { didYouMean } from '../suggest.ts';
import { type JobDraft, pathOf, type Reference, type RouteDraft } from './job-draft.ts';

/** A job that a route names, and where it is named. */
export interface RouteTarget {
  job: number;
  path: SpecPath;
}

/** As a RouteDraft, with jobs in place of names. */
export interface FoundRoutes {
  path: SpecPath;
  reattempt: ReattemptPolicy | null;
  /** Without repeats. */
  run: RouteTarget[] | null;
  runJs: string | null;
  goto: RouteTarget | null;
  gotoJs: string | null;
}

/** The routes of a job; null where it has none. */
export interface JobRoutes {
  onFail: FoundRoutes | 'none' | null;
  onSuccess: FoundRoutes | null;
}

export interface WorkflowRoutes {
  jobs: JobRoutes[];
  /** `routing.defaults.on_fail`. */
  defaults: FoundRoutes | null;
  /** Jobs that a static `run` names. */
  called: Set<number>;
}

/** Routes with the jobs that they name; names that do not exist are errors, and left out. */
export function findRoutes(
  drafts: readonly JobDraft[],
  defaults: RouteDraft | null,
  findings: Findings,
): WorkflowRoutes {
  const called = new Set<number>();
  const hasRoutes = defaults !== null || drafts.some(({ onFail, onSuccess }) => onFail || onSuccess);
  if (!hasRoutes) return { jobs: drafts.map(() => NO_ROUTES), defaults: null, called };

  const index = new Map<string, number>();
  for (const [job, { name }] of drafts.entries()) if (!isStandIn(name)) index.set(name, job);
  const find = (reference: Reference): RouteTarget[] => {
    const job = index.get(reference.text);
    if (job !== undefined) return [{ job, path: pathOf(reference) }];
    const problem = `there is no job or step "${reference.text}"${didYouMean(reference.text, index.keys())}`;
    findings.expansionError(pathOf(reference), problem);
    return [];
  };
  const found = (routes: RouteDraft | null): FoundRoutes | null => {
    if (routes === null) return null;
    const run = routes.run === null ? null : withoutRepeats(routes.run.flatMap(find));
    for (const { job } of run ?? []) called.add(job);
    return { ...routes, run, goto: routes.goto === null ? null : (find(routes.goto)[0] ?? null) };
  };
  const jobs = drafts.map(({ onFail, onSuccess }) =>
    onFail === null && onSuccess === null
      ? NO_ROUTES
      : { onFail: onFail === 'none' ? onFail : found(onFail), onSuccess: found(onSuccess) },
  );
  return { jobs, defaults: found(defaults), called };
}

const NO_ROUTES: JobRoutes = { onFail: null, onSuccess: null };

function withoutRepeats(targets: readonly RouteTarget[]): RouteTarget[] {
  return targets.filter(({ job }, position) => targets.findIndex((other) => other.job === job) === position);
}
