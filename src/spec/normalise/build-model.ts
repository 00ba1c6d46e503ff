import { basename, extname } from 'node:path';
import type { FailureHandler } from '../../core/failure-rule.ts';
import { DEFAULT_ROUTING, type RoutingConfig } from '../../core/routes.ts';
import type { JobModel, WorkflowModel } from '../../core/workflow-model.ts';
import type { TemplateReads } from '../check/check-step-templates.ts';
import type { WorkflowSpec } from '../schema/workflow-schema.ts';
import type { JobDraft } from './job-draft.ts';
import { failRoutesOf, type Layout, type MergedRoutes, routesOf } from './merge-routes.ts';
import { normaliseActions } from './normalise-actions.ts';
import type { Dependencies } from './resolve-dependencies.ts';
import { scopePattern } from './scope-path.ts';
import type { SpecContext } from './spec-context.ts';

/** Everything that was worked out about the jobs of a spec; lists are by job. */
export interface ModelParts {
  drafts: readonly JobDraft[];
  dependencies: Dependencies;
  layout: Layout;
  routes: readonly MergedRoutes[];
  reads: TemplateReads;
  handlers: FailureHandler[];
}

export function buildModel(fileName: string, context: SpecContext, parts: ModelParts): WorkflowModel {
  const { spec } = context;
  const { drafts, dependencies, handlers } = parts;
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
    failureHandlers: handlers,
    actions: normaliseActions(
      spec.actions ?? [],
      drafts.map(({ name }) => name),
      context.findings,
    ),
    userData: context.userData.models,
    routing: routingConfig(spec.routing),
    requirements: context.requirements.requirements,
    dependencySets: dependencies.sets,
    jobs: drafts.map((draft, job) => jobModel(draft, job, parts)),
    dependencyReasons: dependencies.reasons,
  };
}

function routingConfig(routing: WorkflowSpec['routing']): RoutingConfig {
  return {
    maxLoops: routing?.max_loops ?? DEFAULT_ROUTING.maxLoops,
    env: routing?.env ?? DEFAULT_ROUTING.env,
    context: DEFAULT_ROUTING.context,
  };
}

function jobModel(draft: JobDraft, job: number, parts: ModelParts): JobModel {
  const { drafts, dependencies, layout, routes, reads } = parts;
  const read = reads.get(job);
  const { priority, cancelOnBlockingJobFailure, ...settings } = draft.settings;
  return {
    name: draft.name,
    scope: scopePattern(layout.paths[job]!, drafts),
    priority,
    cancelOnBlockingJobFailure,
    dependencySet: dependencies.setOf[job]!,
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
      reads: read === undefined ? [] : read,
      onCall: layout.onCall.has(job),
      onFail: failRoutesOf(routes[job]!.onFail, drafts),
      onSuccess: routesOf(routes[job]!.onSuccess, drafts),
    },
  };
}

function distinct(references: JobDraft['inputFiles']): string[] {
  return references.length === 0 ? [] : [...new Set(references.map(({ text }) => text))];
}
