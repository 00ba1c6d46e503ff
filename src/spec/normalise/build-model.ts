import { basename, extname } from 'node:path';
import type { SchedulerModel } from '../../core/allocation/scheduler.ts';
import type { JobModel, WorkflowModel } from '../../core/model/workflow-model.ts';
import type { FailureHandler } from '../../core/policy/failure-rule.ts';
import { DEFAULT_ROUTING, type RoutingConfig } from '../../core/policy/routes.ts';
import type { TemplateReads } from '../check/check-step-templates.ts';
import { normaliseNotify } from '../notify/normalise-notify.ts';
import type { WorkflowSpec } from '../schema/workflow-schema.ts';
import type { Dependencies } from './dependencies/resolve-dependencies.ts';
import { scopePattern } from './dependencies/scope-path.ts';
import type { JobDraft } from './job-draft.ts';
import { failRoutesOf, type Layout, type MergedRoutes, routesOf } from './merge-routes.ts';
import { normaliseActions } from './normalise-actions.ts';
import type { SpecContext } from './spec-context.ts';
import type { UserDataTable } from './user-data-table.ts';
import { WrittenFiles } from './written-files.ts';

/** Everything that was worked out about the jobs of a spec; lists are by job. */
export interface ModelParts {
  drafts: readonly JobDraft[];
  dependencies: Dependencies;
  layout: Layout;
  routes: readonly MergedRoutes[];
  reads: TemplateReads;
  handlers: FailureHandler[];
  schedulers: SchedulerModel[];
}

export function buildModel(fileName: string, context: SpecContext, parts: ModelParts): WorkflowModel {
  const { spec } = context;
  const { drafts, dependencies, handlers, schedulers } = parts;
  const known = { written: new WrittenFiles(drafts), userData: context.userData };
  return {
    name: spec.name ?? (basename(fileName, extname(fileName)).replace(/[^\w.-]+/g, '') || 'workflow'),
    description: spec.description ?? null,
    user: spec.user ?? null,
    project: spec.project ?? null,
    metadata: metadataOf(spec.metadata),
    variables: spec.variables ?? {},
    limits: spec.limits ?? {},
    maxParallel: spec.max_parallel ?? null,
    claimOrder: spec.jobs_sort_method ?? 'none',
    usePendingFailed: spec.use_pending_failed ?? false,
    ...(spec.access_groups !== undefined && { accessGroups: spec.access_groups }),
    failureHandlers: handlers,
    actions: normaliseActions(
      spec.actions ?? [],
      drafts.map(({ name }) => name),
      context.findings,
    ),
    ...(spec.notify !== undefined && { notify: normaliseNotify(spec.notify, context.findings) }),
    ...(schedulers.length > 0 && { schedulers }),
    userData: context.userData.models,
    routing: routingConfig(spec.routing),
    requirements: context.requirements.requirements,
    dependencySets: dependencies.sets,
    jobs: drafts.map((draft, job) => jobModel(draft, job, parts, known)),
    dependencyReasons: dependencies.reasons,
  };
}

/** A text that is JSON of an object is that object. */
function metadataOf(written: WorkflowSpec['metadata']): WorkflowModel['metadata'] {
  if (typeof written !== 'string') return written ?? {};
  try {
    const value = JSON.parse(written) as unknown;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : written;
  } catch {
    return written;
  }
}

function routingConfig(routing: WorkflowSpec['routing']): RoutingConfig {
  return {
    maxLoops: routing?.max_loops ?? DEFAULT_ROUTING.maxLoops,
    env: routing?.env ?? DEFAULT_ROUTING.env,
    context: DEFAULT_ROUTING.context,
  };
}

function jobModel(
  draft: JobDraft,
  job: number,
  parts: ModelParts,
  { written, userData }: { written: WrittenFiles; userData: UserDataTable },
): JobModel {
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
      input_files: distinct(draft.inputFiles),
      given_files: distinct(draft.inputFiles.filter(({ text }) => !written.has(text, draft))),
      output_files: distinct(draft.outputFiles),
      user_data: {
        inputs: distinct(draft.inputUserData),
        outputs: distinct(draft.outputUserData),
        optional: distinct(draft.outputUserData).filter((name) => userData.hasData(name)),
      },
      failure_handler: draft.failureHandler,
      post: draft.post,
      reads: read === undefined ? [] : read,
      on_call: layout.onCall.has(job),
      on_fail: failRoutesOf(routes[job]!.onFail, drafts),
      on_success: routesOf(routes[job]!.onSuccess, drafts),
    },
  };
}

function distinct(references: JobDraft['inputFiles']): string[] {
  return references.length === 0 ? [] : [...new Set(references.map(({ text }) => text))];
}
