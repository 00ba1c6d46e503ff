import type { Findings } from '../findings.ts';
import type { DependencyGraph } from '../normalise/dependency-graph.ts';
import { type JobDraft, pathOf, type Reference, references } from '../normalise/job-draft.ts';
import type { SpecPath } from '../problem.ts';
import type { JobSpec } from '../schema/job-schema.ts';
import type { Routes } from '../schema/routing-schema.ts';
import type { StepSpec } from '../schema/step-schema.ts';
import type { WorkflowSpec } from '../schema/workflow-schema.ts';
import { didYouMean } from '../suggest.ts';
import { fillPlaceholders } from '../sweep/placeholders.ts';
import { javascriptMistake } from './javascript-syntax.ts';

/** A job as written, next to what became of it. */
export interface RoutedJob {
  written: JobSpec | StepSpec;
  draft: JobDraft;
}

/** The jobs that static `run` keys name; names that do not exist are errors. */
export function calledJobs(spec: WorkflowSpec, jobs: readonly RoutedJob[], findings: Findings): Set<number> {
  const called = new Set<number>();
  if (!hasRoutes(spec)) return called;
  const index = new Map(jobs.map(({ draft }, job) => [draft.name, job]));
  const call = (run: Routes['run'], path: SpecPath, binding: JobDraft['binding']) => {
    for (const reference of references(run, path)) {
      const job = find({ ...reference, text: fillPlaceholders(reference.text, binding) }, index, findings);
      if (job !== undefined) called.add(job);
    }
  };
  const defaults = spec.routing?.defaults?.on_fail;
  call(defaults?.run, ['routing', 'defaults', 'on_fail', 'run'], {});
  if (defaults?.goto !== undefined) {
    find({ text: defaults.goto, path: ['routing', 'defaults', 'on_fail', 'goto'] }, index, findings);
  }
  for (const { written, draft } of jobs) {
    for (const [key, routes] of routesOf(written))
      call(routes.run, [...draft.path, key, 'run'], draft.binding);
  }
  return called;
}

/** Routes must lead to ancestors, their code must compile, and only one kind of retry may be asked for. */
export function checkRoutes(
  spec: WorkflowSpec,
  jobs: readonly RoutedJob[],
  graph: DependencyGraph,
  findings: Findings,
): void {
  if (!hasRoutes(spec)) return;
  const index = new Map(jobs.map(({ draft }, job) => [draft.name, job]));
  const defaults = spec.routing?.defaults?.on_fail;
  if (defaults) checkCode(defaults, ['routing', 'defaults', 'on_fail'], findings);
  for (const [job, { written, draft }] of jobs.entries()) {
    for (const [key, routes] of routesOf(written)) {
      const path = [...draft.path, key];
      checkCode(routes, path, findings);
      if (routes.goto !== undefined) {
        const at = [...path, 'goto'];
        const target = find(
          { text: fillPlaceholders(routes.goto, draft.binding), path: at },
          index,
          findings,
        );
        if (target !== undefined && !graph.isAncestor(target, job)) {
          findings.expansionError(
            at,
            `"${jobs[target]!.draft.name}" does not come before "${draft.name}"; goto leads to something it depends on`,
          );
        }
      }
      if (key === 'on_fail' && routes.retry !== undefined && written.retry !== undefined) {
        findings.error(
          [...path, 'retry'],
          '`retry` and `on_fail.retry` exclude each other; keep one of them',
          {
            atKey: true,
          },
        );
      }
    }
  }
}

/** Most workflows have none, and some of those are large. */
function hasRoutes(spec: WorkflowSpec): boolean {
  const written: (JobSpec | StepSpec)[] = spec.jobs ?? Object.values(spec.steps ?? {});
  return spec.routing !== undefined || written.some((job) => routesOf(job).length > 0);
}

function routesOf(written: JobSpec | StepSpec): ['on_fail' | 'on_success', Routes][] {
  const found: ['on_fail' | 'on_success', Routes][] = [];
  if (written.on_fail !== undefined && written.on_fail !== 'none') found.push(['on_fail', written.on_fail]);
  if (written.on_success !== undefined) found.push(['on_success', written.on_success]);
  return found;
}

function find(
  reference: Reference,
  index: ReadonlyMap<string, number>,
  findings: Findings,
): number | undefined {
  const job = index.get(reference.text);
  if (job === undefined) {
    findings.expansionError(
      pathOf(reference),
      `there is no job or step "${reference.text}"${didYouMean(reference.text, index.keys())}`,
    );
  }
  return job;
}

function checkCode(routes: Routes, path: SpecPath, findings: Findings): void {
  for (const key of ['run_js', 'goto_js'] as const) {
    const code = routes[key];
    if (code === undefined) continue;
    const mistake = javascriptMistake(code, 'body');
    if (mistake)
      findings.error([...path, key], mistake.message, mistake.inside ? { inside: mistake.inside } : {});
  }
}

/** `if` and `fail_if` of steps are expressions. */
export function checkConditions(spec: WorkflowSpec, findings: Findings): void {
  for (const [id, step] of Object.entries(spec.steps ?? {})) {
    for (const key of ['if', 'fail_if'] as const) {
      const code = step[key];
      if (code === undefined) continue;
      const mistake = javascriptMistake(code, 'expression');
      if (mistake)
        findings.error(['steps', id, key], mistake.message, mistake.inside ? { inside: mistake.inside } : {});
    }
  }
}
