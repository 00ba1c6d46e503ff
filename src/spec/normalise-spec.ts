import { basename, extname } from 'node:path';
import type { FailureHandler } from '../core/failure-rule.ts';
import type { JobModel, WorkflowModel } from '../core/workflow-model.ts';
import { warnOfIdleRules } from './check/check-failure-rules.ts';
import { ReferenceCheck } from './check/check-references.ts';
import { calledJobs, checkConditions, checkRoutes, type RoutedJob } from './check/check-routes.ts';
import { checkSections } from './check/check-sections.ts';
import { checkStepTemplates } from './check/check-step-templates.ts';
import { checkUserData } from './check/check-user-data.ts';
import { findUnsupported } from './check/find-unsupported.ts';
import { onCallJobs } from './check/on-call-jobs.ts';
import type { Findings } from './findings.ts';
import { collapseDrafts } from './normalise/collapse-drafts.ts';
import { DependencyGraph } from './normalise/dependency-graph.ts';
import { draftSteps } from './normalise/draft-steps.ts';
import { expandJobs } from './normalise/expand-jobs.ts';
import { normaliseHandlers } from './normalise/failure-handlers.ts';
import type { JobDraft } from './normalise/job-draft.ts';
import { normaliseActions } from './normalise/normalise-actions.ts';
import { type Dependencies, resolveDependencies } from './normalise/resolve-dependencies.ts';
import { type NormaliseOptions, SpecContext } from './normalise/spec-context.ts';
import type { WorkflowSpec } from './schema/workflow-schema.ts';

/**
 * The model of a spec whose shape is right. Everything that can be wrong beyond the shape is found on
 * the way; the model is meaningful only if no error was.
 */
export function normaliseSpec(
  spec: WorkflowSpec,
  /** The file as it was read, to tell absent keys from ones that were left out for being wrong. */
  written: object,
  fileName: string,
  options: NormaliseOptions,
  findings: Findings,
): WorkflowModel {
  checkSections(spec, written, findings);
  const context = new SpecContext(spec, findings, options);
  const drafts = collapseDrafts(
    spec.jobs ? expandJobs(spec.jobs, context) : draftSteps(spec.steps ?? {}, context),
    findings,
  );
  const jobs = drafts.map((draft) => ({ draft, written: writtenJob(spec, draft) }));
  const references = new ReferenceCheck(spec, findings);
  for (const { draft, written: job } of jobs) references.check(job, draft);

  const called = calledJobs(spec, jobs, findings);
  const dependencies = resolveDependencies(drafts, writtenOrder(context, jobs, called), findings);
  const graph = new DependencyGraph(dependencies);
  for (const cycle of graph.cycles()) {
    const names = [...cycle, cycle[0]!].map((job) => drafts[job]!.name).join(' → ');
    findings.error(drafts[cycle[0]!]!.path, `waits for itself: ${names}`);
  }
  const onCall = onCallOf(jobs, called, (job) => graph.dependenciesOf(job));
  for (const [job, { draft, written: writtenAs }] of jobs.entries()) {
    if (writtenAs.on_call && !onCall.has(job)) {
      findings.error(
        [...draft.path, 'on_call'],
        `planned jobs depend on "${draft.name}", so it cannot be on call`,
      );
    }
  }
  checkRoutes(spec, jobs, graph, findings);
  checkConditions(spec, findings);
  if (spec.steps) checkStepTemplates(drafts, spec.variables ?? {}, graph, onCall, findings);
  checkUserData(jobs, context.userData, findings);
  findUnsupported(spec, findings);
  warnOfUnused(context);
  const handlers = normaliseHandlers(context);
  warnOfIdleRules(handlers, new Set(drafts.map(({ failureHandler }) => failureHandler)), findings);
  return buildModel(spec, fileName, context, drafts, dependencies, handlers);
}

function writtenJob(spec: WorkflowSpec, draft: JobDraft): RoutedJob['written'] {
  const [section, key] = draft.path;
  return section === 'jobs' ? spec.jobs![key as number]! : spec.steps![key as string]!;
}

/** Steps run one after another where none says what it depends on. */
function writtenOrder(
  context: SpecContext,
  jobs: readonly RoutedJob[],
  called: ReadonlySet<number>,
): number[] {
  const { spec, options } = context;
  const order = spec.order ?? options.order ?? 'written';
  if (!spec.steps || order === 'graph') return [];
  if (jobs.some(({ written }) => written.depends_on !== undefined)) return [];
  const onCall = onCallOf(jobs, called, () => []);
  return [...jobs.keys()].filter((job) => !onCall.has(job));
}

function onCallOf(
  jobs: readonly RoutedJob[],
  called: ReadonlySet<number>,
  dependenciesOf: (job: number) => readonly number[],
): Set<number> {
  const explicit = new Map<number, boolean>();
  for (const [job, { written }] of jobs.entries()) {
    if (written.on_call !== undefined) explicit.set(job, written.on_call);
  }
  return onCallJobs({ called, explicit, dependenciesOf, jobCount: jobs.length });
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

function buildModel(
  spec: WorkflowSpec,
  fileName: string,
  context: SpecContext,
  drafts: readonly JobDraft[],
  { setOf, sets, reasons }: Dependencies,
  failureHandlers: FailureHandler[],
): WorkflowModel {
  return {
    name: spec.name ?? (basename(fileName, extname(fileName)).replace(/[^\w.-]+/g, '') || 'workflow'),
    description: spec.description ?? null,
    user: spec.user ?? null,
    project: spec.project ?? null,
    metadata: spec.metadata ?? {},
    variables: spec.variables ?? {},
    limits: spec.limits ?? {},
    maxParallel: spec.max_parallel ?? null,
    usePendingFailed: spec.use_pending_failed ?? false,
    failureHandlers,
    actions: normaliseActions(
      spec.actions ?? [],
      drafts.map(({ name }) => name),
      context.findings,
    ),
    userData: context.userData.models,
    requirements: context.requirements.requirements,
    dependencySets: sets,
    jobs: drafts.map((draft, job) => jobModel(draft, setOf[job]!)),
    dependencyReasons: reasons,
  };
}

function jobModel(draft: JobDraft, dependencySet: number | null): JobModel {
  const { priority, cancelOnBlockingJobFailure, ...settings } = draft.settings;
  return {
    name: draft.name,
    scope: '',
    priority,
    cancelOnBlockingJobFailure,
    dependencySet,
    requirement: draft.requirement,
    config: {
      command: draft.command,
      template: draft.template,
      cwd: draft.cwd,
      env: draft.env,
      ...settings,
      inputFiles: distinct(draft.inputFiles),
      outputFiles: distinct(draft.outputFiles),
      userData: {
        inputs: distinct(draft.inputUserData),
        outputs: distinct(draft.outputUserData),
      },
      labels: draft.labels,
      failureHandler: draft.failureHandler,
      post: draft.post,
    },
  };
}

function distinct(references: JobDraft['inputFiles']): string[] {
  return references.length === 0 ? [] : [...new Set(references.map(({ text }) => text))];
}
