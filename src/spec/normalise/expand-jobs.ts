import type { SpecPath } from '../problem.ts';
import type { JobSpec } from '../schema/job-schema.ts';
import type { RequirementSpec } from '../schema/requirement-schema.ts';
import { expandSweep } from '../sweep/expand-sweep.ts';
import type { Binding } from '../sweep/placeholders.ts';
import { draftRoutes, filledRoutes } from './draft-routes.ts';
import { type JobDraft, type JobSettings, type Reference, references } from './job-draft.ts';
import type { Resolved } from './requirement-table.ts';
import type { SpecContext } from './spec-context.ts';

/** Every expansion of every written job, in the order written; equal names are not yet collapsed. */
export function expandJobs(jobs: JobSpec[], context: SpecContext): JobDraft[] {
  const drafts: JobDraft[] = [];
  for (const [index, job] of jobs.entries()) {
    const path = ['jobs', index];
    const bindings = expandSweep(job, path, context.shared, context.findings);
    const expand = expander(job, path, context);
    for (const binding of bindings) drafts.push(expand(binding));
  }
  return drafts;
}

function expander(job: JobSpec, path: SpecPath, context: SpecContext): (binding: Binding) => JobDraft {
  const { text, files, userData } = context;
  const at = (key: string) => [...path, key];
  const paths = {
    name: at('name'),
    command: at('command'),
    cwd: at('cwd'),
    env: at('env'),
    labels: at('labels'),
    failureHandler: at('failure_handler'),
    post: at('post'),
  };
  const dependsOn = references(job.depends_on, at('depends_on'));
  const dependsOnRegexes = references(job.depends_on_regexes, at('depends_on_regexes'));
  const fileReferences = {
    input: references(job.input_files, at('input_files')),
    output: references(job.output_files, at('output_files')),
    inputPatterns: references(job.input_files_regexes, at('input_files_regexes')),
    outputPatterns: references(job.output_files_regexes, at('output_files_regexes')),
  };
  const userDataReferences = {
    input: references(job.input_user_data, at('input_user_data')),
    output: references(job.output_user_data, at('output_user_data')),
    inputPatterns: references(job.input_user_data_regexes, at('input_user_data_regexes')),
    outputPatterns: references(job.output_user_data_regexes, at('output_user_data_regexes')),
  };
  const onFail = job.on_fail === 'none' ? 'none' : draftRoutes(job.on_fail, at('on_fail'));
  const onSuccess = draftRoutes(job.on_success, at('on_success'));
  const settingsFor = settingsByRuntime(job, path, context);
  const ownEnv = job.env !== undefined && Object.keys(job.env).length > 0;
  const fill = (reference: Reference, binding: Binding): Reference => {
    const filled = text.fill(reference.text, binding, reference.path);
    return filled === reference.text ? reference : { ...reference, text: filled };
  };
  const filePaths = (named: Reference[], patterns: Reference[], binding: Binding): Reference[] => [
    ...named.flatMap((reference) => {
      const filePath = files.path(fill(reference, binding));
      return filePath === undefined ? [] : [{ ...reference, text: filePath }];
    }),
    ...patterns.flatMap((pattern) =>
      files.matching(fill(pattern, binding)).map((filePath) => ({ ...pattern, text: filePath })),
    ),
  ];
  const userDataNames = (named: Reference[], patterns: Reference[], binding: Binding): Reference[] => [
    ...named.map((reference) => fill(reference, binding)).filter((reference) => userData.has(reference)),
    ...patterns.flatMap((pattern) =>
      userData.matching(fill(pattern, binding)).map((name) => ({ ...pattern, text: name })),
    ),
  ];

  return (binding) => {
    const inputFiles = filePaths(fileReferences.input, fileReferences.inputPatterns, binding);
    const outputFiles = filePaths(fileReferences.output, fileReferences.outputPatterns, binding);
    const withFiles = (command: string, at: SpecPath) =>
      files.substitute(command, at, (kind, used) =>
        (kind === 'input' ? inputFiles : outputFiles).push({ text: used, path: at }),
      );
    const command = withFiles(text.fill(job.command, binding, paths.command), paths.command);
    const used = userData.used(command, paths.command);
    const post = context.post(job.post, binding, path);
    const { index, runtimeMs } = requirementOf(job, binding, path, context);
    return {
      name: text.fill(job.name, binding, paths.name),
      path,
      binding,
      command,
      template: false,
      cwd: job.cwd === undefined ? null : text.fill(job.cwd, binding, paths.cwd),
      env: ownEnv ? { ...context.env, ...context.environment(job.env, binding, paths.env) } : context.env,
      labels: (job.labels ?? []).map((label) => text.fill(label, binding, paths.labels)),
      failureHandler:
        job.failure_handler === undefined
          ? null
          : text.fill(job.failure_handler, binding, paths.failureHandler),
      post: post && { ...post, command: withFiles(post.command, paths.post) },
      onFail: onFail === 'none' ? onFail : filledRoutes(onFail, (name) => fill(name, binding)),
      onSuccess: filledRoutes(onSuccess, (name) => fill(name, binding)),
      reduces: false,
      dependsOn: dependsOn.map((reference) => fill(reference, binding)),
      dependsOnRegexes: dependsOnRegexes.map((reference) => fill(reference, binding)),
      inputFiles,
      outputFiles,
      inputUserData: [
        ...userDataNames(userDataReferences.input, userDataReferences.inputPatterns, binding),
        ...used.inputs,
      ],
      outputUserData: [
        ...userDataNames(userDataReferences.output, userDataReferences.outputPatterns, binding),
        ...used.outputs,
      ],
      requirement: index,
      settings: settingsFor(runtimeMs),
    };
  };
}

function requirementOf(job: JobSpec, binding: Binding, path: SpecPath, context: SpecContext): Resolved {
  const asked: string | RequirementSpec | undefined =
    typeof job.resource_requirements === 'string'
      ? context.text.fill(job.resource_requirements, binding, [...path, 'resource_requirements'])
      : job.resource_requirements;
  const resources: Record<string, number> = {};
  for (const [name, amount] of Object.entries(job.resources ?? {})) {
    const at = [...path, 'resources', name];
    const value = typeof amount === 'number' ? amount : Number(context.text.fill(amount, binding, at));
    if (Number.isSafeInteger(value) && value > 0) resources[context.text.fill(name, binding, at)] = value;
    else context.findings.expansionError(at, `${amount} must be a whole number above 0 in every expansion`);
  }
  return context.requirements.resolve(asked, resources, path);
}

/** Settings are read once per written job; only the runtime can differ between its expansions. */
function settingsByRuntime(
  job: JobSpec,
  path: SpecPath,
  context: SpecContext,
): (runtimeMs: number | null) => JobSettings {
  const timeoutMs = context.milliseconds(job.timeout);
  const base: JobSettings = {
    retry: context.retry(job.retry, path),
    timeoutMs,
    deadlineMs: context.milliseconds(job.deadline),
    schedulingTimeoutMs: context.milliseconds(job.scheduling_timeout),
    isolate: job.isolate ?? false,
    ports: job.ports ?? [],
    limitResources: job.limit_resources ?? true,
    output: null,
    tags: [],
    group: null,
    condition: null,
    failIf: null,
    continueOnFailure: false,
    forEach: false,
    priority: job.priority ?? 0,
    cancelOnBlockingJobFailure: job.cancel_on_blocking_job_failure ?? true,
  };
  return (runtimeMs) => {
    if (runtimeMs === null) return base;
    return { ...base, timeoutMs: timeoutMs === null ? runtimeMs : Math.min(timeoutMs, runtimeMs) };
  };
}
