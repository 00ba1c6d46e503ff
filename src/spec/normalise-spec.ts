import type { WorkflowModel } from '../core/model/workflow-model.ts';
import { checkCalls, warnOfUncalled } from './check/check-calls.ts';
import { checkCode } from './check/check-code.ts';
import { checkFailFast } from './check/check-fail-fast.ts';
import { warnOfIdleRules } from './check/check-failure-rules.ts';
import { checkFanout } from './check/check-fanout.ts';
import { ReferenceCheck } from './check/check-references.ts';
import { checkRetries, checkRoutes, warnOfIdleBackoff } from './check/check-routes.ts';
import { checkSections } from './check/check-sections.ts';
import { checkStepTemplates, type TemplateReads } from './check/check-step-templates.ts';
import { checkUserData } from './check/check-user-data.ts';
import { warnOfHiddenFailures } from './check/hidden-failures.ts';
import { noteUnused } from './check/note-unused.ts';
import { onCallJobs } from './check/on-call-jobs.ts';
import type { Findings } from './findings.ts';
import { buildModel } from './normalise/build-model.ts';
import { collapseDrafts } from './normalise/collapse-drafts.ts';
import { DependencyGraph } from './normalise/dependencies/dependency-graph.ts';
import { joinItems } from './normalise/dependencies/join-items.ts';
import { type Dependencies, resolveDependencies } from './normalise/dependencies/resolve-dependencies.ts';
import { hasItems, resolveScopes } from './normalise/dependencies/resolve-scopes.ts';
import { draftRoutes } from './normalise/draft-routes.ts';
import { draftSteps } from './normalise/draft-steps.ts';
import { expandJobs } from './normalise/expand-jobs.ts';
import { normaliseHandlers } from './normalise/failure-handlers.ts';
import { fillFiles } from './normalise/files/fill-files.ts';
import { findRoutes } from './normalise/find-routes.ts';
import type { JobDraft } from './normalise/job-draft.ts';
import { mergeRoutes } from './normalise/merge-routes.ts';
import { type NormaliseOptions, SpecContext } from './normalise/spec-context.ts';
import type { WorkflowSpec } from './schema/workflow-schema.ts';
import { warnOfMisfits } from './slurm/check-fit.ts';
import { normaliseSchedulers } from './slurm/normalise-schedulers.ts';
import { checkExpansion, DEFAULT_EXPANSION } from './sweep/check-expansion.ts';

/**
 * The model of a spec whose shape is right. Everything that can be wrong beyond the shape is found on
 * the way; the model is meaningful only if no error was. Undefined if it has no order.
 */
export function normaliseSpec(
  spec: WorkflowSpec,
  /** The file as it was read, to distinguish absent keys from ones that were left out for being wrong. */
  written: object,
  fileName: string,
  options: NormaliseOptions,
  findings: Findings,
): WorkflowModel | undefined {
  checkSections(spec, written, findings);
  if (!checkExpansion(spec, options.expansion ?? DEFAULT_EXPANSION, findings)) return undefined;
  const context = new SpecContext(spec, findings, options);
  const drafts = collapseDrafts(
    spec.jobs ? expandJobs(spec.jobs, context) : draftSteps(spec.steps ?? {}, context),
    findings,
  );
  fillFiles(drafts, context.files, findings);
  const references = new ReferenceCheck(spec, findings);
  for (const draft of drafts) references.check(draft);

  const defaults = draftRoutes(spec.routing?.defaults?.on_fail, ['routing', 'defaults', 'on_fail']);
  const routes = findRoutes(drafts, defaults, findings);
  const named = resolveDependencies(drafts, writtenOrder(context, drafts, routes.called), findings);
  const graph = new DependencyGraph(named);
  const onCall = onCallOf(drafts, routes.called, (job) => graph.dependenciesOf(job));
  checkOnCall(drafts, onCall, findings);
  checkFanout(drafts, onCall, findings);
  checkFailFast(spec.jobs ?? [], drafts, onCall, findings);
  checkCode(spec, findings);
  checkRetries(drafts, findings);
  checkUserData(drafts, context.userData, findings);
  const schedulers = normaliseSchedulers(spec, findings);
  warnOfMisfits(drafts, context.requirements.requirements, schedulers, findings);
  warnOfHiddenFailures(spec, findings);
  noteUnused(spec, findings);
  warnOfUnused(context);
  const handlers = normaliseHandlers(context);
  warnOfIdleRules(handlers, new Set(drafts.map(({ failureHandler }) => failureHandler)), findings);

  const cycles = graph.cycles();
  for (const cycle of cycles) {
    const names = [...cycle, cycle[0]!].map((job) => drafts[job]!.name).join(' → ');
    findings.error(drafts[cycle[0]!]!.path, `waits for itself: ${names}`);
  }
  // In a circle it is not known what runs in whose items.
  if (cycles.length > 0 && hasItems(drafts)) return undefined;

  const paths = resolveScopes(drafts, graph, onCall, findings);
  const dependencies = joinItems(drafts, named, paths, findings);
  const layout = { graph, paths, onCall };
  const merged = mergeRoutes(routes, layout, (job) => drafts[job]!.written.retry !== undefined);
  checkRoutes(drafts, routes, layout, findings);
  checkCalls(drafts, merged, findings);
  warnOfUncalled(drafts, merged, onCall, findings);
  warnOfIdleBackoff(drafts, merged, findings);
  const reads: TemplateReads = spec.steps
    ? checkStepTemplates(
        drafts,
        spec.variables ?? {},
        layout,
        (step) => joinedBy(dependencies, step),
        findings,
      )
    : new Map();
  return buildModel(fileName, context, {
    drafts,
    dependencies,
    layout,
    routes: merged,
    reads,
    handlers,
    schedulers,
  });
}

function joinedBy({ setOf, sets }: Dependencies, job: number): readonly number[] {
  const set = setOf[job];
  return set === null || set === undefined ? [] : sets[set]!.joined;
}

function checkOnCall(drafts: readonly JobDraft[], onCall: ReadonlySet<number>, findings: Findings): void {
  for (const [job, { name, path, written }] of drafts.entries()) {
    if (written.on_call && !onCall.has(job)) {
      findings.error([...path, 'on_call'], `planned jobs depend on "${name}", so it cannot be on call`);
    }
  }
}

/** Steps run one after another where none says what it depends on. */
function writtenOrder(
  context: SpecContext,
  drafts: readonly JobDraft[],
  called: ReadonlySet<number>,
): number[] {
  const { spec, options } = context;
  const order = spec.order ?? options.order ?? 'written';
  if (!spec.steps || order === 'graph') return [];
  if (drafts.some(({ written }) => written.depends_on !== undefined)) return [];
  const onCall = onCallOf(drafts, called, () => []);
  return [...drafts.keys()].filter((job) => !onCall.has(job));
}

function onCallOf(
  drafts: readonly JobDraft[],
  called: ReadonlySet<number>,
  dependenciesOf: (job: number) => readonly number[],
): Set<number> {
  const explicit = new Map<number, boolean>();
  for (const [job, { written }] of drafts.entries()) {
    if (written.on_call !== undefined) explicit.set(job, written.on_call);
  }
  return onCallJobs({ called, explicit, dependenciesOf, jobCount: drafts.length });
}

function warnOfUnused(context: SpecContext): void {
  for (const name of context.shared.unused) {
    context.findings.warn(['parameters', name], 'no job or file uses this parameter (`use_parameters`)');
  }
  for (const name of context.requirements.unused) {
    const index = context.spec.resource_requirements!.findIndex((requirement) => requirement.name === name);
    context.findings.warn(['resource_requirements', index], `no job uses "${name}"`);
  }
}
