import type { Findings } from '../findings.ts';
import { isSameScope, ROOT, type ScopePath, scopePattern } from '../normalise/dependencies/scope-path.ts';
import type { FoundRoutes, JobRoutes, RouteTarget, WorkflowRoutes } from '../normalise/find-routes.ts';
import type { JobDraft } from '../normalise/job-draft.ts';
import type { Layout, MergedRoutes } from '../normalise/merge-routes.ts';

/** Routes must lead to ancestors and to steps that can be called from where they are written. */
export function checkRoutes(
  drafts: readonly JobDraft[],
  routes: WorkflowRoutes,
  layout: Layout,
  findings: Findings,
): void {
  const callers = new Callers(routes.jobs, layout);
  for (const [job, { onFail, onSuccess }] of routes.jobs.entries()) {
    if (onFail === null && onSuccess === null) continue;
    for (const found of [onFail, onSuccess]) {
      if (found === null || found === 'none') continue;
      checkJump(job, found, drafts, layout, findings);
      for (const target of found.run ?? []) {
        checkCall(job, target, found, drafts, layout, callers, findings);
      }
    }
  }
}

/** `retry` acts without remediation, `on_fail.retry` with it: one job has one of them. */
export function checkRetries(drafts: readonly JobDraft[], findings: Findings): void {
  for (const { onFail, written } of drafts) {
    if (onFail === null || onFail === 'none') continue;
    if (onFail.reattempt === null || written.retry === undefined) continue;
    findings.error(
      [...onFail.path, 'retry'],
      '`retry` and `on_fail.retry` exclude each other; keep one of them',
      { atKey: true },
    );
  }
}

/** A backoff that no re-attempt ever waits for. */
export function warnOfIdleBackoff(
  drafts: readonly JobDraft[],
  merged: readonly MergedRoutes[],
  findings: Findings,
): void {
  const seen = new Set<object>();
  for (const [job, { written, path }] of drafts.entries()) {
    const retry = typeof written.on_fail === 'object' ? written.on_fail.retry : undefined;
    if (retry?.backoff === undefined || retry.max !== undefined || seen.has(written)) continue;
    seen.add(written);
    const { run, runJs } = merged[job]!.onFail!;
    if (runJs === null && (run ?? []).length === 0) {
      findings.warn(
        [...path, 'on_fail', 'retry', 'backoff'],
        'has no effect: there is no re-attempt without `max`, unless `run` names steps',
      );
    }
  }
}

function checkJump(
  job: number,
  { path, goto, gotoJs }: FoundRoutes,
  drafts: readonly JobDraft[],
  { graph, paths, onCall }: Layout,
  findings: Findings,
): void {
  const { name } = drafts[job]!;
  if (onCall.has(job)) {
    const key = goto !== null ? 'goto' : gotoJs !== null ? 'goto_js' : undefined;
    if (key === undefined) return;
    findings.expansionError(
      [...path, key],
      `"${name}" is on call, so nothing comes before it; write \`${key}\` at the step that calls it`,
    );
    return;
  }
  if (goto === null) return;
  const target = drafts[goto.job]!.name;
  if (!graph.isAncestor(goto.job, job)) {
    findings.expansionError(
      goto.path,
      `"${target}" does not come before "${name}"; goto leads to something it depends on`,
    );
  } else if (!isSameScope(paths[goto.job]!, paths[job]!)) {
    const where = placeName(paths[goto.job]!, drafts);
    findings.expansionError(
      goto.path,
      `a route cannot leave its forEach item: "${name}" runs in ${placeName(paths[job]!, drafts)}, "${target}" in ${where}`,
    );
  }
}

function checkCall(
  job: number,
  target: RouteTarget,
  { path }: FoundRoutes,
  drafts: readonly JobDraft[],
  { paths, onCall }: Layout,
  callers: Callers,
  findings: Findings,
): void {
  const { name } = drafts[target.job]!;
  if (target.job === job) {
    const instead = path.at(-1) === 'on_fail' ? '`retry: { max: 1 }`' : '`goto`, which needs an ancestor';
    findings.expansionError(target.path, `"${name}" cannot run itself; to run it again write ${instead}`);
    return;
  }
  if (onCall.has(target.job)) return;
  const from = callers.scopesOf(job).find((scope) => !isSameScope(scope, paths[target.job]!));
  if (from === undefined) return;
  findings.expansionError(
    target.path,
    `a route cannot leave its forEach item: "${drafts[job]!.name}" runs in ${placeName(from, drafts)}, "${name}" in ${placeName(paths[target.job]!, drafts)}; a step with \`on_call: true\` can be called from anywhere`,
  );
}

function placeName(path: ScopePath, drafts: readonly JobDraft[]): string {
  return path.length === 0 ? 'the root' : scopePattern(path, drafts);
}

/** From which scopes a job is run: its own, or those of the jobs that call it. */
class Callers {
  readonly #layout: Layout;
  readonly #callersOf = new Map<number, number[]>();

  constructor(jobs: readonly JobRoutes[], layout: Layout) {
    this.#layout = layout;
    for (const [caller, { onFail, onSuccess }] of jobs.entries()) {
      if (onFail === null && onSuccess === null) continue;
      for (const routes of [onFail, onSuccess]) {
        for (const { job } of routes === null || routes === 'none' ? [] : (routes.run ?? [])) {
          this.#callersOf.set(job, [...(this.#callersOf.get(job) ?? []), caller]);
        }
      }
    }
  }

  scopesOf(job: number): ScopePath[] {
    const { onCall, paths } = this.#layout;
    if (!onCall.has(job)) return [paths[job] ?? ROOT];
    const seen = new Set([job]);
    const scopes: ScopePath[] = [];
    for (const each of seen) {
      for (const caller of this.#callersOf.get(each) ?? []) {
        if (onCall.has(caller)) seen.add(caller);
        else scopes.push(paths[caller]!);
      }
    }
    return scopes;
  }
}
