import type { DependencySet } from '../../core/model/workflow-model.ts';
import type { Findings } from '../findings.ts';
import { DependencyGraph } from '../normalise/dependencies/dependency-graph.ts';
import type { JobDraft } from '../normalise/job-draft.ts';
import type { MergedRoutes } from '../normalise/merge-routes.ts';

/** Steps that call each other in a circle would never end: calls are not counted against `max_loops`. */
export function checkCalls(
  drafts: readonly JobDraft[],
  routes: readonly MergedRoutes[],
  findings: Findings,
): void {
  const sets: DependencySet[] = [];
  const setOf = routes.map((each) => {
    if (each.onFail === null && each.onSuccess === null) return null;
    const members = callsOf(each).map(({ job }) => job);
    return members.length === 0 ? null : sets.push({ members, joined: [], producers: [], anyOf: [] }) - 1;
  });
  if (sets.length === 0) return;
  for (const circle of new DependencyGraph({ setOf, sets }).cycles()) {
    // What calls itself is reported as that.
    if (circle.length === 1) continue;
    const first = circle[0]!;
    const call = callsOf(routes[circle.at(-1)!]!).find(({ job }) => job === first)!;
    const names = [...circle, first].map((job) => drafts[job]!.name).join(' → ');
    findings.error(
      call.path,
      `steps that run each other would never end: ${names}; a step that failed is tried again by itself after its \`run\``,
    );
  }
}

function callsOf({ onFail, onSuccess }: MergedRoutes) {
  return [...(onFail?.run ?? []), ...(onSuccess?.run ?? [])];
}

/** A step that is on call and that nothing can call is never run. */
export function warnOfUncalled(
  drafts: readonly JobDraft[],
  routes: readonly MergedRoutes[],
  onCall: ReadonlySet<number>,
  findings: Findings,
): void {
  if (onCall.size === 0) return;
  const all = routes.flatMap(({ onFail, onSuccess }) => [onFail, onSuccess]);
  if (all.some((found) => found !== null && found.runJs !== null)) return;
  const called = new Set(routes.flatMap((each) => callsOf(each).map(({ job }) => job)));
  for (const job of onCall) {
    const { path, name } = drafts[job]!;
    if (!called.has(job)) findings.warn([...path, 'on_call'], `nothing runs "${name}": no \`run\` names it`);
  }
}
