import { isBash, type Shell } from '../../core/job/shell.ts';
import { checkShell } from '../check/check-shell.ts';
import type { SpecPath } from '../problem.ts';
import type { JobSpec } from '../schema/job-schema.ts';
import type { RequirementSpec } from '../schema/requirement-schema.ts';
import { expandSweep } from '../sweep/expand-sweep.ts';
import type { Binding } from '../sweep/placeholders.ts';
import { declaredFileSettings, refuseLostOutputs } from './declared-file-settings.ts';
import { draftRoutes, filledRoutes } from './draft-routes.ts';
import { executionSettings } from './execution-settings.ts';
import { type JobDraft, type JobSettings, type Reference, references } from './job-draft.ts';
import type { OwnNeeds } from './requirement-table.ts';
import type { SpecContext } from './spec-context.ts';

const NOT_USED = { inputs: [], outputs: [] };

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
    script: at('invocation_script'),
    cwd: at('cwd'),
    env: at('env'),
    labels: at('labels'),
    failureHandler: at('failure_handler'),
    post: at('post'),
    scheduler: at('scheduler'),
  };
  const dependsOn = references(job.depends_on, at('depends_on'));
  const dependsOnRegexes = references(job.depends_on_regexes, at('depends_on_regexes'));
  const fileReferences = {
    input: references(job.input_files, at('input_files')),
    output: references(job.output_files, at('output_files')),
    inputPatterns: [
      ...references(job.input_files_regexes, at('input_files_regexes')),
      ...references(job.input_file_regexes, at('input_file_regexes')),
    ],
    outputPatterns: [
      ...references(job.output_files_regexes, at('output_files_regexes')),
      ...references(job.output_file_regexes, at('output_file_regexes')),
    ],
  };
  const userDataReferences = {
    input: references(job.input_user_data, at('input_user_data')),
    output: references(job.output_user_data, at('output_user_data')),
    inputPatterns: references(job.input_user_data_regexes, at('input_user_data_regexes')),
    outputPatterns: references(job.output_user_data_regexes, at('output_user_data_regexes')),
  };
  if (job.invocation_script !== undefined) warnOfComment(job.invocation_script, paths.script, context);
  const onFail = job.on_fail === 'none' ? 'none' : draftRoutes(job.on_fail, at('on_fail'));
  const onSuccess = draftRoutes(job.on_success, at('on_success'));
  const settings = jobSettings(job, path, context);
  const own = ownNeeds(job);
  refuseLostOutputs(job, settings, path, context);
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

  const shellPath = job.shell === undefined ? ['shell'] : at('shell');
  const shellOf = (binding: Binding): Shell =>
    Array.isArray(settings.shell) && settings.shell.some((word) => word.includes('{'))
      ? settings.shell.map((word) => text.fill(word, binding, shellPath))
      : settings.shell;

  return (binding) => {
    const inputFiles = filePaths(fileReferences.input, fileReferences.inputPatterns, binding);
    const outputFiles = filePaths(fileReferences.output, fileReferences.outputPatterns, binding);
    const withFiles = (command: string, at: SpecPath) =>
      files.substitute(command, at, (kind, used) =>
        (kind === 'input' ? inputFiles : outputFiles).push({ text: used, path: at }),
      );
    const ownCommand = withFiles(text.fill(job.command, binding, paths.command), paths.command);
    const command =
      job.invocation_script === undefined
        ? ownCommand
        : `${withFiles(text.fill(job.invocation_script, binding, paths.script), paths.script)} ${ownCommand}`;
    const shell = shellOf(binding);
    const hasScript = job.invocation_script !== undefined;
    checkShell({ shell, command, path, key: 'command', hasScript }, context.findings);
    const used = isBash(shell) ? userData.used(command, paths.command) : NOT_USED;
    const post = context.post(job.post, binding, path);
    const scheduler = job.scheduler === undefined ? null : text.fill(job.scheduler, binding, paths.scheduler);
    const labels = (job.labels ?? []).map((label) => text.fill(label, binding, paths.labels));
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
      name: text.fill(job.name, binding, paths.name),
      path,
      binding,
      command,
      template: false,
      cwd: job.cwd === undefined ? null : text.fill(job.cwd, binding, paths.cwd),
      env: ownEnv ? { ...context.env, ...context.environment(job.env, binding, paths.env) } : context.env,
      labels,
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
      settings:
        runtimeMs === settings.timeout_ms && scheduler === settings.scheduler && shell === settings.shell
          ? settings
          : { ...settings, timeout_ms: runtimeMs, scheduler, shell },
    };
  };
}

/** The command is put behind the script: where that ends in a comment, the command is part of it. */
function warnOfComment(script: string, path: SpecPath, { findings }: SpecContext): void {
  if (/(?:^|\n)[^\S\n]*#[^\n]*$/.test(script)) {
    findings.warn(
      path,
      'ends in a comment, and the command behind it becomes part of that; end it with a new line',
    );
  }
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
