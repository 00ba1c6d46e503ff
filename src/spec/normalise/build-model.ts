import { basename, extname } from 'node:path';
import type { SchedulerModel } from '../../core/allocation/scheduler.ts';
import { madeList } from '../../core/model/made-list.ts';
import {
  DEFAULT_JOB_CONFIG,
  type JobModel,
  type UserDataUse,
  type WorkflowModel,
} from '../../core/model/workflow-model.ts';
import type { FailureHandler } from '../../core/policy/failure-rule.ts';
import { DEFAULT_ROUTING, type RoutingConfig } from '../../core/policy/routes.ts';
import type { TemplateReads } from '../check/check-step-templates.ts';
import { normaliseNotify } from '../notify/normalise-notify.ts';
import type { WorkflowSpec } from '../schema/workflow-schema.ts';
import type { Dependencies } from './dependencies/resolve-dependencies.ts';
import { scopePattern } from './dependencies/scope-path.ts';
import { WrittenFiles } from './files/written-files.ts';
import type { JobDraft, JobSettings } from './job-draft.ts';
import { failRoutesOf, type Layout, type MergedRoutes, routesOf } from './merge-routes.ts';
import { normaliseActions } from './normalise-actions.ts';
import type { SpecContext } from './spec-context.ts';
import type { UserDataTable } from './user-data-table.ts';

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
    actions:
      spec.actions === undefined
        ? []
        : normaliseActions(
            spec.actions,
            drafts.map(({ name }) => name),
            context.findings,
          ),
    ...(spec.notify !== undefined && { notify: normaliseNotify(spec.notify, context.findings) }),
    ...(schedulers.length > 0 && { schedulers }),
    userData: context.userData.models,
    routing: routingConfig(spec.routing),
    requirements: context.requirements.requirements,
    dependencySets: dependencies.sets,
    jobs: madeList(drafts.length, jobMaker(parts, context.userData)),
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

/** Makes a job of the model from its draft. */
function jobMaker(
  { drafts, dependencies, layout, routes, reads }: ModelParts,
  userData: UserDataTable,
): (job: number) => JobModel {
  const written = new WrittenFiles(drafts);
  const useOf = ({ inputUserData, outputUserData }: JobDraft): UserDataUse => {
    if (inputUserData.length + outputUserData.length === 0) return DEFAULT_JOB_CONFIG.user_data;
    const outputs = distinct(outputUserData);
    return {
      inputs: distinct(inputUserData),
      outputs,
      optional: outputs.filter((name) => userData.hasData(name)),
    };
  };
  // Expansions of one written job follow each other, and share their settings.
  let last: {
    settings: JobSettings;
    config: Omit<JobSettings, 'priority' | 'cancelOnBlockingJobFailure'>;
  } | null = null;
  const configOf = (settings: JobSettings) => {
    if (last?.settings === settings) return last.config;
    const { priority: _, cancelOnBlockingJobFailure: __, ...config } = settings;
    last = { settings, config };
    return config;
  };
  return (job) => {
    const draft = drafts[job]!;
    const read = reads.get(job);
    const { priority, cancelOnBlockingJobFailure } = draft.settings;
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
        ...configOf(draft.settings),
        input_files: distinct(draft.inputFiles),
        given_files: distinct(draft.inputFiles.filter(({ text }) => !written.has(text, draft))),
        output_files: distinct(draft.outputFiles),
        user_data: useOf(draft),
        failure_handler: draft.failureHandler,
        post: draft.post,
        reads: read === undefined ? NO_TEXTS : read,
        on_call: layout.onCall.has(job),
        on_fail: failRoutesOf(routes[job]!.onFail, drafts),
        on_success: routesOf(routes[job]!.onSuccess, drafts),
      },
    };
  };
}

/** The default itself, which need not be compared to be recognised as such. */
const NO_TEXTS = DEFAULT_JOB_CONFIG.input_files;

function distinct(references: JobDraft['inputFiles']): string[] {
  return references.length === 0 ? NO_TEXTS : [...new Set(references.map(({ text }) => text))];
}
