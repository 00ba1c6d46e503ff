import { extname, join, resolve } from 'node:path';
import {
  DEFAULT_JOB_CONFIG,
  type DependencySet,
  type JobConfig,
  type JobModel,
  type PostScript,
  type Requirement,
  type WorkflowModel,
} from '../../core/model/workflow-model.ts';
import { DEFAULT_ROUTING } from '../../core/policy/routes.ts';
import type { ErrorSettings } from '../../core/request/error-settings.ts';
import type { PlannedUnit } from '../../core/request/plan-units.ts';
import type { RequestModel, UnitJob } from '../../core/request/request-model.ts';
import { processName, unitName } from '../../core/request/unit-name.ts';
import { unitRetry } from '../../core/request/unit-retry.ts';
import {
  bindCommand,
  fillPath,
  type PlaceholderValues,
  readUnitCommand,
  type UnitCommand,
} from './bind-placeholders.ts';

export interface RoundInput {
  model: RequestModel;
  /** Of the configuration, the spec and releases together. */
  settings: Pick<ErrorSettings, 'cooloff_base_sec' | 'unless_exit_code' | 'abort_dag_code'>;
  /** What a release has changed. */
  overrides: { memory_bytes?: number; retries?: number };
  version: number;
  /** From 1. */
  round: number;
  /** Number of the first unit of the round. Units are counted over all rounds of a request, from 1. */
  firstUnit: number;
  units: readonly PlannedUnit[];
  /** Where the jobs run: absolute. */
  cwd: string;
  /** For the outputs of processing jobs; relative to `cwd`, or absolute. */
  output_dir: string;
}

/** A unit of a round. Paths are relative to where the jobs run, or absolute. */
export interface RoundUnit {
  number: number;
  /** Index into `dependencySets`: the jobs that must succeed, which are all but the cleanup. */
  set: number;
  /** The numbers of a range, both ends included; null for items. */
  first: bigint | null;
  last: bigint | null;
  /** How many numbers or items it has. */
  count: bigint;
  item_ids: number[];
  /** The one file that it delivers; null if no command uses `{output}`, or several jobs each deliver one. */
  output: string | null;
  /** All files that it delivers. */
  outputs: string[];
}

/** The workflow of a round, and its units. */
export interface RoundWorkflow {
  model: WorkflowModel;
  units: RoundUnit[];
}

/** The workflow of one round, at once. Pure. */
export function roundWorkflow(input: RoundInput): RoundWorkflow {
  const steps = roundSteps(input);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The workflow of one round; yields after every unit, so that other work can be done in between. Pure. */
export function* roundSteps(input: RoundInput): Generator<void, RoundWorkflow> {
  const { model: request, version, round } = input;
  const builder = new RoundBuilder(input);
  const units: RoundUnit[] = [];
  for (const [index, unit] of input.units.entries()) {
    units.push(builder.unit(unit, input.firstUnit + index));
    yield;
  }
  return {
    model: {
      name: `${request.name}-v${version}-round-${round}`,
      description: request.description,
      user: null,
      project: null,
      metadata: { request: request.name, version, round },
      variables: {},
      limits: {},
      maxParallel: null,
      claimOrder: 'none',
      usePendingFailed: false,
      failureHandlers: request.rulebook === null ? [] : [{ name: RULEBOOK, rules: request.rulebook.rules }],
      actions: [],
      userData: [],
      routing: DEFAULT_ROUTING,
      requirements: builder.requirements,
      dependencySets: builder.sets,
      countedSets: units.map(({ set }) => set),
      jobs: builder.jobs,
      dependencyReasons: [],
    },
    units,
  };
}

/** Under this name the rulebook of a request is one of the failure handlers of its rounds. */
const RULEBOOK = 'rulebook';

/** Where the post records of a round are written; relative to where its jobs run, or absolute. */
function recordDirectory({ model, version, round, output_dir }: RoundInput): string {
  return join(output_dir, 'requests', model.name, `v${version}`, `round_${String(round).padStart(3, '0')}`);
}

/** The post step of a job, without the items that the job processes. */
function postOf(input: RoundInput): PostScript {
  const { post, rulebook } = input.model;
  const { unless_exit_code: permanent_code, abort_dag_code: abort_code } = input.settings;
  const common = { items: [], permanent_code, abort_code };
  if (post.kind === 'command') return { ...common, ...post };
  const directory = recordDirectory(input);
  return { ...common, kind: 'builtin', directory, node: null, rulebook: rulebook === null ? null : RULEBOOK };
}

type Part = 'process' | 'merge' | 'cleanup';

/** A job of all units with what does not differ between them. */
interface PreparedJob {
  job: UnitJob;
  command: UnitCommand;
  requirement: number;
  config: JobConfig;
  readsInputs: boolean;
  writesOutput: boolean;
}

class RoundBuilder {
  readonly jobs: JobModel[] = [];
  readonly sets: DependencySet[] = [];
  readonly requirements: Requirement[] = [];
  readonly #input: RoundInput;
  readonly #post: PostScript;
  readonly #extension: string;
  readonly #process: PreparedJob;
  readonly #merge: PreparedJob | null;
  readonly #cleanup: PreparedJob | null;

  constructor(input: RoundInput) {
    const { model } = input;
    this.#input = input;
    this.#post = postOf(input);
    const extension = extname(model.outputs ?? '');
    this.#extension = extension.includes('{') ? '' : extension;
    this.#process = this.#prepare(model.process, 'process');
    this.#merge = model.merge && this.#prepare(model.merge, 'merge');
    this.#cleanup = model.cleanup && this.#prepare(model.cleanup, 'cleanup');
  }

  unit(unit: PlannedUnit, number: number): RoundUnit {
    const { model, version, round } = this.#input;
    const name = unitName(number);
    const shared: PlaceholderValues = {
      unit: String(number),
      round: String(round),
      request: model.name,
      version: String(version),
    };
    const result = model.outputs === null ? null : fillPath(model.outputs, shared);
    const directory = join(this.#input.output_dir, 'requests', model.name, `v${version}`, name);

    const parts = unit.kind === 'range' ? unit.jobs.map(rangeValues) : unit.jobs.map(itemValues);
    const outputs: string[] = [];
    const processing = parts.map((values, index) => {
      const label = processName(index + 1);
      const alone = this.#merge === null ? result : null;
      const output = alone ?? join(directory, `${label}${this.#extension}`);
      if (this.#process.writesOutput) outputs.push(output);
      return this.#add(this.#process, `${name}_${label}`, null, { ...shared, ...values }, output, []);
    });
    let done = this.#set(processing);
    const counted = [...processing];
    const delivered = [...outputs];
    if (this.#merge !== null) {
      const output = result ?? join(directory, `merge${this.#extension}`);
      const values = { ...shared, ...unitValues(unit) };
      const merge = this.#add(this.#merge, `${name}_merge`, done, values, output, outputs);
      counted.push(merge);
      if (this.#merge.writesOutput) delivered.splice(0, delivered.length, output);
      if (this.#cleanup !== null) done = this.#set([merge]);
    }
    if (this.#cleanup !== null) this.#add(this.#cleanup, `${name}_cleanup`, done, shared, null, outputs);
    return {
      number,
      set: this.#merge === null ? done : this.#set(counted),
      ...(unit.kind === 'range'
        ? { first: unit.jobs[0]!.first, last: unit.jobs.at(-1)!.last }
        : { first: null, last: null }),
      count: countOf(unit),
      item_ids: unit.kind === 'range' ? [] : unit.jobs.flatMap((items) => items.map(({ id }) => id)),
      output: delivered.length === 1 ? delivered[0]! : null,
      outputs: delivered,
    };
  }

  #set(members: number[]): number {
    return this.sets.push({ members, joined: [], producers: [], anyOf: [] }) - 1;
  }

  #add(
    { job, command, requirement, config, readsInputs, writesOutput }: PreparedJob,
    name: string,
    dependencySet: number | null,
    values: PlaceholderValues,
    output: string | null,
    inputs: readonly string[],
  ): number {
    // A job in a directory of its own finds the files of its unit all the same.
    const seen = (path: string) => (job.cwd === null ? path : resolve(this.#input.cwd, path));
    const seenInputs = readsInputs ? inputs.map(seen) : [];
    const outputs = writesOutput ? [seen(output!)] : [];
    const bound = { ...values, inputs: seenInputs, output: outputs[0] };
    return (
      this.jobs.push({
        name,
        scope: '',
        priority: this.#input.model.priority,
        cancelOnBlockingJobFailure: true,
        dependencySet,
        requirement,
        config: {
          ...config,
          command: bindCommand(command, bound),
          post: { ...this.#post, items: Array.isArray(values.items) ? values.items : [] },
          input_files: seenInputs,
          output_files: outputs,
        },
      }) - 1
    );
  }

  #prepare(job: UnitJob, part: Part): PreparedJob {
    const read = readUnitCommand(job.command);
    // Loading has refused such a command.
    if (!read.ok) throw new Error(`${part}.command: a placeholder is refused there (${read.refusal})`);
    const { overrides, settings } = this.#input;
    const retries = part === 'cleanup' ? undefined : overrides.retries;
    return {
      job,
      command: read.command,
      requirement: this.#requirement(withMemory(job.requirement, part, overrides.memory_bytes)),
      config: {
        ...DEFAULT_JOB_CONFIG,
        command: '',
        shell: job.shell,
        cwd: job.cwd,
        env: job.env,
        timeout_ms: job.timeout_ms,
        retry: {
          ...unitRetry(job, settings),
          ...(retries !== undefined && { max_retries_failure: retries }),
        },
        post: this.#post,
        continue_on_failure: part === 'cleanup',
      },
      readsInputs: read.command.names.includes('inputs'),
      writesOutput: read.command.names.includes('output'),
    };
  }

  #requirement(requirement: Requirement): number {
    const key = JSON.stringify(requirement);
    const known = this.requirements.findIndex((each) => JSON.stringify(each) === key);
    return known >= 0 ? known : this.requirements.push(requirement) - 1;
  }
}

/** Processing jobs get the memory of a release; a merge gets it where it asks for less. */
function withMemory(requirement: Requirement, part: Part, bytes: number | undefined): Requirement {
  const own = requirement.memory_bytes;
  if (bytes === undefined || part === 'cleanup') return requirement;
  if (part === 'merge' && (own === null || own >= bytes)) return requirement;
  return { ...requirement, memory_bytes: bytes };
}

function rangeValues({ first, last }: { first: bigint; last: bigint }): PlaceholderValues {
  return { first: String(first), last: String(last), count: String(last - first + 1n) };
}

function itemValues(items: readonly { path: string }[]): PlaceholderValues {
  return { items: items.map(({ path }) => path), count: String(items.length) };
}

function unitValues(unit: PlannedUnit): PlaceholderValues {
  return unit.kind === 'range'
    ? rangeValues({ first: unit.jobs[0]!.first, last: unit.jobs.at(-1)!.last })
    : itemValues(unit.jobs.flat());
}

function countOf(unit: PlannedUnit): bigint {
  return unit.kind === 'range'
    ? unit.jobs.at(-1)!.last - unit.jobs[0]!.first + 1n
    : BigInt(unit.jobs.reduce((sum, items) => sum + items.length, 0));
}
