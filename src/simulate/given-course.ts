import type { Claim } from '../contract/records/exchange.ts';
import { HoldfastError } from '../core/errors.ts';
import { jobLabel } from '../core/job/job-label.ts';
import type { JobModel, WorkflowModel } from '../core/model/workflow-model.ts';
import { didYouMean } from '../spec/suggest.ts';
import { invalidOption } from './invalid-option.ts';
import { outcomeReader } from './outcome-reader.ts';
import { parseOutcomes, type SimulatedOutcome } from './simulated-outcome.ts';
import type { SimulatedCourse } from './simulated-worker.ts';

/** An endless loop has to end somewhere. */
const MAX_EXECUTIONS = 10_000;

/** The course that `--outcome` and `--step-output` give. Steps without an outcome succeed, and put out null. */
export class GivenCourse implements SimulatedCourse {
  readonly maxExecutions = MAX_EXECUTIONS;
  readonly #model: WorkflowModel;
  readonly #durationMs: number;
  /** By label, or by name for all items. */
  readonly #outcomes: Map<string, SimulatedOutcome[]>;
  readonly #outputs: Map<string, unknown>;
  /** Executions so far, by label. */
  readonly #executions = new Map<string, number>();

  constructor(model: WorkflowModel, given: { outcomes: string[]; outputs: string[] }, durationMs: number) {
    this.#model = model;
    this.#durationMs = durationMs;
    this.#outcomes = new Map(given.outcomes.map((text) => readOutcomes(model, text)));
    this.#outputs = new Map(given.outputs.map((text) => readOutput(model, text)));
    for (const { name, config } of model.jobs) if (config.for_each) this.#needList(name);
  }

  next(claim: Claim): SimulatedOutcome {
    const label = jobLabel({ name: claim.job_name, scope: claim.scope });
    const number = this.#executions.get(label) ?? 0;
    this.#executions.set(label, number + 1);
    const given = (this.#outcomes.get(label) ?? this.#outcomes.get(claim.job_name))?.[number];
    return given ?? this.#success(claim.job_name);
  }

  durationMs(): number {
    return this.#durationMs;
  }

  output(claim: Claim): unknown {
    const label = jobLabel({ name: claim.job_name, scope: claim.scope });
    return (this.#outputs.has(label) ? this.#outputs.get(label) : this.#outputs.get(claim.job_name)) ?? null;
  }

  /** What was given and never came: `unit=0,0`. */
  unused(): string[] {
    return [...this.#outcomes].flatMap(([target, outcomes]) => {
      const used = [...this.#executions]
        .filter(([label]) => label === target || label.startsWith(`${target}@`))
        .map(([, count]) => count);
      const rest = outcomes.slice(Math.max(0, ...used)).map(({ given }) => given);
      return rest.length === 0 ? [] : [`${target}=${rest.join(',')}`];
    });
  }

  #success(name: string): SimulatedOutcome {
    const job = this.#model.jobs.find((each) => each.name === name)!;
    return parseOutcomes('0', outcomeReader(this.#model, job))[0]!;
  }

  #needList(name: string): void {
    if ([...this.#outputs.keys()].some((target) => nameOf(target) === name)) return;
    invalidOption('--step-output', `is needed for ${name}, which has forEach, such as '${name}=["a","b"]'`);
  }
}

function readOutcomes(model: WorkflowModel, text: string): [string, SimulatedOutcome[]] {
  const { target, value, job } = readTarget(model, '--outcome', text, 'unit=1,0');
  try {
    return [target, parseOutcomes(value, outcomeReader(model, job))];
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return invalidOption(`--outcome ${target}`, error.message.replace(/^--outcomes: /, ''));
  }
}

function readOutput(model: WorkflowModel, text: string): [string, unknown] {
  const { target, value, job } = readTarget(model, '--step-output', text, `list='["a","b"]'`);
  if (job.config.output === null) invalidOption(`--step-output ${target}`, 'only steps have an output');
  let output: unknown;
  try {
    output = JSON.parse(value);
  } catch {
    invalidOption(`--step-output ${target}`, `must be JSON; a text needs double quotes: '"text"'`);
  }
  if (job.config.for_each && !Array.isArray(output)) {
    invalidOption(`--step-output ${target}`, 'must be a JSON list, because the step has forEach');
  }
  return [target, output];
}

/** `NAME=VALUE`, or `LABEL=VALUE` for one item. */
function readTarget(
  { jobs }: WorkflowModel,
  option: string,
  text: string,
  example: string,
): { target: string; value: string; job: JobModel } {
  const [, target = '', value = ''] =
    /^([^=]*)=(.*)$/s.exec(text) ?? invalidOption(option, `${text}: write ${example}`);
  const name = nameOf(target);
  const names = jobs.map((job) => job.name);
  const job =
    jobs.find((each) => each.name === name) ??
    invalidOption(option, `the spec has no step ${name}${didYouMean(name, names)}`);
  const scope = target.slice(name.length + 1);
  if (scope !== '' && scope.replace(/\[\d+\]/g, '[*]') !== job.scope) {
    const place = job.scope === '' ? 'is in no forEach' : `is in ${job.scope}`;
    invalidOption(option, `there is no ${target}: ${name} ${place}`);
  }
  return { target, value, job };
}

function nameOf(label: string): string {
  return label.replace(/@.*$/s, '');
}
