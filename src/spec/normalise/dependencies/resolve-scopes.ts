import type { Findings } from '../../findings.ts';
import type { JobDraft } from '../job-draft.ts';
import type { DependencyGraph } from './dependency-graph.ts';
import { commonScope, encloses, ROOT, type ScopePath } from './scope-path.ts';

/** Whether scopes are of any concern. */
export function hasItems(drafts: readonly JobDraft[]): boolean {
  return drafts.some(({ settings, reduces }) => settings.for_each || reduces);
}

/**
 * Where each job runs: at the root, or once per item. What follows a forEach job runs in its items until a job with
 * `fanout: reduce` joins them. Where there are items, the graph must not have cycles.
 */
export function resolveScopes(
  drafts: readonly JobDraft[],
  graph: DependencyGraph,
  /** They run in the scope of their caller. */
  onCall: ReadonlySet<number>,
  findings: Findings,
): ScopePath[] {
  const paths: (ScopePath | undefined)[] = drafts.map(() => undefined);
  if (!hasItems(drafts)) return drafts.map(() => ROOT);
  const inner = (job: number): ScopePath =>
    drafts[job]!.settings.for_each && !onCall.has(job) ? [...paths[job]!, job] : paths[job]!;

  for (const start of drafts.keys()) {
    const open = [start];
    while (open.length > 0) {
      const job = open.at(-1)!;
      const dependencies = onCall.has(job) ? [] : graph.dependenciesOf(job);
      const missing = paths[job] === undefined ? dependencies.filter((each) => !paths[each]) : [];
      if (missing.length > 0) {
        for (const each of missing) open.push(each);
        continue;
      }
      open.pop();
      if (paths[job] !== undefined) continue;
      const inners = dependencies.map(inner);
      const draft = drafts[job]!;
      if (onCall.has(job)) paths[job] = ROOT;
      else if (draft.reduces) paths[job] = joinedScope(inners, draft, findings);
      else paths[job] = itemScope(inners, draft, drafts, findings);
    }
  }
  return paths as ScopePath[];
}

/** A job runs in the innermost of the items before it, and those must lie in one another. */
function itemScope(
  inners: readonly ScopePath[],
  draft: JobDraft,
  drafts: readonly JobDraft[],
  findings: Findings,
): ScopePath {
  const path = longest(inners);
  const apart = inners.find((inner) => !encloses(inner, path));
  if (apart !== undefined) {
    const depth = commonScope(apart, path).length;
    const [a, b] = [path[depth]!, apart[depth]!].sort((x, y) => x - y).map((job) => drafts[job]!.name);
    findings.error(
      [...draft.path, 'depends_on'],
      `it would run per item of "${a}" and per item of "${b}"; join one of them first, in a step with \`fanout: reduce\``,
    );
  }
  return path;
}

/**
 * A job that joins runs outside the innermost items before it; where several lie side by side, in what encloses all
 * of those. What runs further out has no say in it.
 */
function joinedScope(inners: readonly ScopePath[], draft: JobDraft, findings: Findings): ScopePath {
  const path = longest(inners);
  if (path.length === 0) {
    findings.error(
      [...draft.path, 'fanout'],
      'there is nothing to join: nothing upstream of it has forEach; leave `fanout` out, or add `forEach: true` to the step that makes the list',
    );
    return ROOT;
  }
  if (inners.every((inner) => encloses(inner, path))) return path.slice(0, -1);
  const isInnermost = (inner: ScopePath) =>
    inners.every((other) => other.length <= inner.length || !encloses(inner, other));
  return inners.filter(isInnermost).reduce(commonScope);
}

function longest(paths: readonly ScopePath[]): ScopePath {
  return paths.reduce((best, path) => (path.length > best.length ? path : best), ROOT);
}
