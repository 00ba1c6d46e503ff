import { DEFAULT_REATTEMPT, type ReattemptPolicy } from '../../core/policy/routes.ts';
import type { SpecPath } from '../problem.ts';
import type { RoutesSpec } from '../schema/routing-schema.ts';
import { type Reference, type RouteDraft, references } from './job-draft.ts';

export function draftRoutes(routes: RoutesSpec | undefined, path: SpecPath): RouteDraft | null {
  if (routes === undefined) return null;
  return {
    path,
    reattempt: routes.retry === undefined ? null : reattemptPolicy(routes.retry),
    run: routes.run === undefined ? null : references(routes.run, [...path, 'run']),
    runJs: routes.run_js ?? null,
    goto: routes.goto === undefined ? null : { text: routes.goto, path: [...path, 'goto'] },
    gotoJs: routes.goto_js ?? null,
  };
}

function reattemptPolicy({ max, backoff }: NonNullable<RoutesSpec['retry']>): ReattemptPolicy {
  return {
    max: max ?? DEFAULT_REATTEMPT.max,
    mode: backoff?.mode ?? DEFAULT_REATTEMPT.mode,
    delay_ms: backoff?.delay_ms ?? DEFAULT_REATTEMPT.delay_ms,
  };
}

/** The routes of one expansion of a sweep: names are filled in, code stays as it is. */
export function filledRoutes(
  routes: RouteDraft | null,
  fill: (name: Reference) => Reference,
): RouteDraft | null {
  if (routes === null || (routes.run === null && routes.goto === null)) return routes;
  return { ...routes, run: routes.run?.map(fill) ?? null, goto: routes.goto && fill(routes.goto) };
}
