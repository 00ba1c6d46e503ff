import type { Shell } from '../../core/job/shell.ts';
import type { SpecPath } from '../problem.ts';
import type { JobSpec } from '../schema/job-schema.ts';
import type { RequirementSpec } from '../schema/requirement-schema.ts';
import type { Binding } from '../sweep/placeholders.ts';
import { draftRoutes, filledRoutes } from './draft-routes.ts';
import { executionSettings, refuseDiscardedStderr } from './execution-settings.ts';
import { declaredFileSettings, refuseLostOutputs } from './files/declared-file-settings.ts';
import type { DraftBasis, JobSettings, Reference } from './job-draft.ts';
import type { OwnNeeds } from './requirement-table.ts';
import type { SpecContext } from './spec-context.ts';

/** What differs between the expansions of most sweeps, and is filled for each. */
const OFTEN_FILLED: readonly (keyof JobSpec)[] = [
  'name',
  'command',
  'invocation_script',
  'depends_on',
  'depends_on_regexes',
  'input_files',
  'output_files',
  'input_files_regexes',
  'input_file_regexes',
  'output_files_regexes',
  'output_file_regexes',
  'input_user_data',
  'output_user_data',
  'input_user_data_regexes',
  'output_user_data_regexes',
  'parameters',
  'include',
  'exclude',
];

type BasisFiller = (binding: Binding, withFiles: (post: string) => string) => DraftBasis;

/** What of a job all its expansions have in common, or each for itself where a parameter is in it. */
export function basisFiller(job: JobSpec, path: SpecPath, context: SpecContext): BasisFiller {
  const { text } = context;
  const at = (key: string) => [...path, key];
  const onFail = job.on_fail === 'none' ? 'none' : draftRoutes(job.on_fail, at('on_fail'));
  const onSuccess = draftRoutes(job.on_success, at('on_success'));
  const settings = jobSettings(job, path, context);
  const own = ownNeeds(job);
  refuseLostOutputs(job, settings, path, context);
  refuseDiscardedStderr(job, settings, path, context);
  const ownEnv = job.env !== undefined && Object.keys(job.env).length > 0;
  const shellPath = job.shell === undefined ? ['shell'] : at('shell');
  const filled: BasisFiller = (binding, withFiles) => {
    const fill = (reference: Reference): Reference => ({
      ...reference,
      text: text.fill(reference.text, binding, reference.path),
    });
    const fillKey = (written: string | undefined, key: string) =>
      written === undefined ? null : text.fill(written, binding, at(key));
    const shell: Shell = hasBrace(settings.shell)
      ? (settings.shell as string[]).map((word) => text.fill(word, binding, shellPath))
      : settings.shell;
    const scheduler = fillKey(job.scheduler, 'scheduler');
    const post = context.post(job.post, binding, path);
    const labels = (job.labels ?? []).map((label) => text.fill(label, binding, at('labels')));
    const { index, runtimeMs } = context.requirements.resolve(
      askedRequirement(job, binding, path, context),
      {
        resources: namedResources(job, binding, path, context),
        labels,
        timeoutMs: settings.timeout_ms,
        ...(own !== undefined && { own }),
      },
      path,
    );
    return {
      path,
      written: job,
      template: false,
      cwd: fillKey(job.cwd, 'cwd'),
      env: ownEnv ? { ...context.env, ...context.environment(job.env, binding, at('env')) } : context.env,
      labels,
      failureHandler: fillKey(job.failure_handler, 'failure_handler'),
      post: post && { ...post, command: withFiles(post.command) },
      onFail: onFail === 'none' ? onFail : filledRoutes(onFail, fill),
      onSuccess: filledRoutes(onSuccess, fill),
      reduces: false,
      requirement: index,
      settings:
        runtimeMs === settings.timeout_ms && scheduler === settings.scheduler && shell === settings.shell
          ? settings
          : { ...settings, timeout_ms: runtimeMs, scheduler, shell },
    };
  };
  const rest = Object.entries(job).filter(([key]) => !OFTEN_FILLED.includes(key as keyof JobSpec));
  if (hasBrace([rest, settings.shell])) return filled;
  let shared: DraftBasis | undefined;
  return (binding, withFiles) => {
    shared ??= filled(binding, withFiles);
    return shared;
  };
}

/** Without a brace a text is the same in all expansions. */
function hasBrace(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('{');
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, part]) => key.includes('{') || hasBrace(part));
}

function askedRequirement(
  job: JobSpec,
  binding: Binding,
  path: SpecPath,
  context: SpecContext,
): string | RequirementSpec | undefined {
  return typeof job.resource_requirements === 'string'
    ? context.text.fill(job.resource_requirements, binding, [...path, 'resource_requirements'])
    : job.resource_requirements;
}

/** Undefined: the job leaves all of it to its requirement. */
function ownNeeds({ num_cpus, num_gpus, memory }: JobSpec): OwnNeeds | undefined {
  const own = {
    ...(num_cpus !== undefined && { num_cpus }),
    ...(num_gpus !== undefined && { num_gpus }),
    ...(memory !== undefined && { memory }),
  };
  return Object.keys(own).length === 0 ? undefined : own;
}

function namedResources(
  job: JobSpec,
  binding: Binding,
  path: SpecPath,
  context: SpecContext,
): Record<string, number> {
  const resources: Record<string, number> = {};
  for (const [name, amount] of Object.entries(job.resources ?? {})) {
    const at = [...path, 'resources', name];
    const value = typeof amount === 'number' ? amount : Number(context.text.fill(amount, binding, at));
    if (Number.isSafeInteger(value) && value > 0) resources[context.text.fill(name, binding, at)] = value;
    else context.findings.expansionError(at, `${amount} must be a whole number above 0 in every expansion`);
  }
  return resources;
}

/** Read once per written job; only the runtime, the scheduler and the shell can differ between its expansions. */
function jobSettings(job: JobSpec, path: SpecPath, context: SpecContext): JobSettings {
  return {
    retry: context.retry(job.retry, path),
    timeout_ms: context.milliseconds(job.timeout),
    deadline_ms: context.milliseconds(job.deadline),
    scheduling_timeout_ms: context.milliseconds(job.scheduling_timeout),
    isolate: job.isolate ?? false,
    ports: job.ports ?? [],
    shell: job.shell ?? context.spec.shell ?? 'bash',
    ...executionSettings(context.spec, job),
    ...declaredFileSettings(context.spec, job),
    output: null,
    tags: [],
    group: null,
    scheduler: job.scheduler ?? null,
    condition: null,
    fail_if: null,
    continue_on_failure: false,
    fail_fast: job.fail_fast === true ? job.name : null,
    for_each: false,
    priority: job.priority ?? 0,
    cancelOnBlockingJobFailure: job.cancel_on_blocking_job_failure ?? true,
  };
}
