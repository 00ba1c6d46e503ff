import { resolve } from 'node:path';
import type { DagModel } from '../../../core/dag/dag-model.ts';
import type { NodeFacts } from '../../../core/dag/node-facts.ts';
import { nodeNames } from '../../../core/dag/node-names.ts';
import { roundNode } from '../../../core/dag/round-nodes.ts';
import type { JobModel } from '../../../core/model/workflow-model.ts';
import type { Rulebook } from '../../../core/request/request-model.ts';
import type { DagSettings, PlannedDag, PlannedNode, RoundPlan, WorkflowPlan } from './dag-plan.ts';
import type { SiteChoice } from './sites-text.ts';

/** What both kinds of plans need besides the workflow. */
export interface PlanInput {
  model: DagModel;
  settings: DagSettings;
  sites: SiteChoice;
  /** Where the jobs run: absolute. */
  cwd: string;
}

/**
 * The DAG of a workflow for which `inexpressible` found nothing. `jobs` are the positions of those that are to be run, whose
 * parents are among them or done (default: all). Pure.
 */
export function planWorkflowDag(input: PlanInput & { jobs?: readonly number[] }): WorkflowPlan {
  const { model, sites, jobs = indexes(model) } = input;
  // DAGMan looks after deferred scripts as often as the shortest wait of a retry needs.
  const settings = { ...input.settings, cooloff_base_sec: shortestWait(model) };
  const names = nodeNames(model.jobs.map(({ name }) => name));
  const used = new Set(model.requirements.flatMap(({ resources }) => Object.keys(resources)));
  return {
    kind: 'workflow',
    name: model.name,
    settings,
    rulebook: null,
    sites,
    maxJobs: model.maxParallel,
    dag: dagOf(input, names, jobs),
    limits: Object.fromEntries(
      Object.entries(model.limits)
        .filter(([resource]) => used.has(resource))
        .map(([resource, limit]) => [categoryName(resource), limit]),
    ),
  };
}

/** The DAG of a round, whose jobs are named after their units. Pure. */
export function planRoundDag(
  input: PlanInput & { request: RoundPlan['request']; rulebook: Rulebook | null },
): RoundPlan {
  const { model, settings, sites, request, rulebook } = input;
  const units = new Map<string, number[]>();
  const names = model.jobs.map(({ name }, index) => {
    const place = roundNode(name);
    if (place === null) throw new Error(`${name} is not a job of a unit`);
    const jobs = units.get(place.unit) ?? [];
    units.set(place.unit, jobs);
    jobs.push(index);
    return place.node;
  });
  return {
    kind: 'round',
    name: model.name,
    request,
    settings,
    rulebook,
    sites,
    maxJobs: null,
    units: [...units].map(([name, jobs]) => ({ name, dag: dagOf(input, names, jobs) })),
  };
}

function dagOf(input: PlanInput, names: readonly string[], jobs: readonly number[]): PlannedDag {
  const { model } = input;
  const included = new Set(jobs);
  const children = new Map<number, string[]>();
  for (const index of jobs) {
    const set = model.jobs[index]!.dependencySet;
    if (set !== null) children.set(set, [...(children.get(set) ?? []), names[index]!]);
  }
  return {
    nodes: jobs.map((index) => nodeOf(input, model.jobs[index]!, names[index]!)),
    edges: [...children].flatMap(([set, waiting]) => {
      const parents = model.dependencySets[set]!.members.filter((member) => included.has(member)).map(
        (member) => names[member]!,
      );
      return parents.length === 0 ? [] : [{ parents, children: waiting }];
    }),
  };
}

function nodeOf({ model, cwd }: PlanInput, job: JobModel, name: string): PlannedNode {
  const { config } = job;
  const requirement = model.requirements[job.requirement]!;
  const facts = factsOf(model, job);
  const [category] = Object.keys(requirement.resources);
  return {
    name,
    facts,
    retries: retriesOf(facts),
    priority: job.priority,
    requirement,
    command: config.command,
    shell: config.shell,
    cwd: config.cwd === null ? cwd : resolve(cwd, config.cwd),
    env: config.env,
    outputs: config.output_files,
    endSignal: config.end_signal,
    graceMs: config.grace_ms,
    category: category === undefined ? null : categoryName(category),
  };
}

function factsOf(model: DagModel, { name, requirement, config }: JobModel): NodeFacts {
  const { memory_bytes: bytes } = model.requirements[requirement]!;
  const limitMs = config.limit_resources ? config.timeout_ms : null;
  const handler = model.failureHandlers.find((each) => each.name === config.failure_handler);
  return {
    job: name,
    items: config.post?.items ?? [],
    memory_mb: bytes === null ? null : Math.ceil(bytes / 1024 ** 2),
    time_limit_sec: limitMs === null ? null : Math.max(1, Math.ceil(limitMs / 1000)),
    retry: config.retry,
    handler: handler === undefined ? null : { name: handler.name, rules: handler.rules },
    continue_on_failure: config.continue_on_failure,
  };
}

/** Enough for the rule that allows most; the post step ends the others earlier. */
function retriesOf({ retry, handler }: NodeFacts): number {
  return Math.max(
    retry.max_retries_failure,
    ...(handler?.rules ?? []).map(({ maxRetries }) => maxRetries - 1),
  );
}

/** Of retries, in seconds; 0: none waits. */
function shortestWait({ jobs }: DagModel): number {
  const waits = jobs
    .map(({ config }) => config.retry.initial_retry_delay_ms)
    .filter((milliseconds) => milliseconds > 0);
  return waits.length === 0 ? 0 : Math.min(...waits) / 1000;
}

/** Categories are words without blanks. */
const categoryName = (resource: string) => `r_${Buffer.from(resource).toString('hex')}`;

const indexes = ({ jobs }: DagModel) => jobs.map((_, index) => index);
