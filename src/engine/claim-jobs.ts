import type { Capacity, Claim } from '../core/exchange.ts';
import { isFitting, type Offer } from '../core/fit.ts';
import { jobLabel } from '../core/job-label.ts';
import type { RoutingConfig } from '../core/routes.ts';
import type { JobConfig, Requirement } from '../core/workflow-model.ts';
import { insertAttempts, type NewAttempt } from '../store/attempt-rows.ts';
import { listHandlers } from '../store/handler-rows.ts';
import {
  countLiveByRequirement,
  decodeConfig,
  type JobRow,
  listClaimable,
  toPending,
} from '../store/job-rows.ts';
import { findCaller } from '../store/route-rows.ts';
import { type Script, together } from '../store/script.ts';
import { loadUserData } from '../store/user-data-rows.ts';
import { type ExchangingWorker, listOtherOffers } from '../store/worker-rows.ts';
import { listRequirements, type StoredRequirement, type WorkflowRow } from '../store/workflow-rows.ts';
import { askCode, codesOf } from './ask-code.ts';
import { loadForeach, loadJoined, loadOutputs } from './load-outputs.ts';
import { readHandler } from './load-policy.ts';

/** What is free for one workflow while claims are made; shrinks with each. */
class Room {
  private readonly capacity: Capacity;
  private readonly named: Map<string, number>;
  private parallel: number;

  constructor(capacity: Capacity, named: Map<string, number>, parallel: number) {
    this.capacity = capacity;
    this.named = named;
    this.parallel = parallel;
  }

  /** How many jobs could start at the most, whatever they need. */
  get slots(): number {
    return Math.min(this.capacity.slots, this.parallel);
  }

  fits(need: Requirement): boolean {
    return this.countOf(need) > 0;
  }

  /** How many jobs with this requirement could start now. */
  countOf(need: Requirement): number {
    const { cpus, memory_bytes, gpus } = this.capacity;
    const parts = [
      this.slots,
      (cpus + 1e-9) / this.cpusOf(need),
      memory_bytes / (need.memoryBytes ?? 0),
      gpus / need.gpus,
    ];
    for (const [name, amount] of Object.entries(need.resources))
      parts.push((this.named.get(name) ?? 0) / amount);
    // Nothing needed of nothing left is 0 / 0, and no obstacle.
    return Math.floor(Math.min(...parts.filter((part) => !Number.isNaN(part))));
  }

  take(need: Requirement): void {
    this.capacity.slots -= 1;
    this.capacity.cpus -= this.cpusOf(need);
    this.capacity.memory_bytes -= need.memoryBytes ?? 0;
    this.capacity.gpus -= need.gpus;
    this.parallel -= 1;
    for (const [name, amount] of Object.entries(need.resources)) {
      this.named.set(name, (this.named.get(name) ?? 0) - amount);
    }
  }

  private cpusOf(need: Requirement): number {
    return need.cpus ?? this.capacity.default_cpus;
  }
}

/**
 * Claims what fits, by priority, then in the order of creation. Ready jobs are asked for by requirement, so
 * that any number of jobs that do not fit costs nothing. `capacity` is reduced by what was claimed.
 */
export function* claimJobs(
  workflow: WorkflowRow,
  worker: ExchangingWorker,
  capacity: Capacity,
  now: number,
): Script<Claim[]> {
  const [stored, others, patterns] = yield* together(
    listRequirements(workflow.id),
    listOtherWorkers(worker, now),
    stderrPatterns(workflow.id),
  );
  const requirements = new Map(stored.map((requirement) => [requirement.id, requirement]));
  const room = yield* measureRoom(workflow, capacity, requirements);

  const lists = stored
    .filter((requirement) => room.fits(requirement))
    .map((requirement) => {
      const isShunned = others.some((other) => isFitting(requirement, other));
      const shunned = isShunned ? { workerId: worker.id, now } : null;
      return listClaimable(workflow.id, requirement.id, room.countOf(requirement), shunned);
    });
  const candidates = (yield* together<JobRow[][]>(...lists)).flat();
  candidates.sort((a, b) => b.priority - a.priority || a.id - b.id);

  const chosen: { job: JobRow; facts: ClaimFacts }[] = [];
  const userData = new Map<string, unknown>();
  for (const job of candidates) {
    if (room.slots <= 0) break;
    const requirement = requirements.get(job.requirement_id)!;
    if (!room.fits(requirement)) continue;
    room.take(requirement);
    const config = decodeConfig(job.config);
    const facts = {
      config,
      requirement: withoutId(requirement),
      stderr_patterns: patterns.get(config.failureHandler ?? '') ?? [],
      condition: yield* conditionOf(workflow, job, config),
      ...(yield* templateValues(workflow, job, config)),
      user_data: yield* inputValues(workflow.id, config.userData.inputs, userData),
    };
    chosen.push({ job, facts });
  }
  return yield* handOut(workflow, chosen, worker.id, now);
}

/** The claim of a job that a worker has already, as it was handed out. */
export function* repeatClaim(workflow: WorkflowRow, job: JobRow, token: number): Script<Claim> {
  const config = decodeConfig(job.config);
  const requirement = (yield* listRequirements(workflow.id)).find(({ id }) => id === job.requirement_id)!;
  return {
    token,
    workflow_id: workflow.id,
    job_id: job.id,
    run_id: workflow.run_id,
    visit: job.visit,
    attempt_id: job.attempt_id,
    job_name: job.name,
    scope: job.scope,
    cwd: workflow.cwd,
    output_dir: workflow.output_dir,
    config,
    requirement: withoutId(requirement),
    stderr_patterns: (yield* stderrPatterns(workflow.id)).get(config.failureHandler ?? '') ?? [],
    condition: yield* conditionOf(workflow, job, config),
    ...(yield* templateValues(workflow, job, config)),
    user_data: yield* inputValues(workflow.id, config.userData.inputs, new Map()),
  };
}

function withoutId({ id: _, ...requirement }: StoredRequirement): Requirement {
  return requirement;
}

/** What others offer who take jobs now. */
function* listOtherWorkers({ id, kind }: ExchangingWorker, now: number): Script<Offer[]> {
  if (kind === 'run') return [];
  const offers = yield* listOtherOffers(id, now);
  return offers.map(({ cpus, memory_bytes, gpus }) => ({ cpus, memoryBytes: memory_bytes, gpus }));
}

type ClaimFacts = Pick<
  Claim,
  | 'config'
  | 'requirement'
  | 'stderr_patterns'
  | 'condition'
  | 'outputs'
  | 'failures'
  | 'foreach'
  | 'variables'
  | 'user_data'
>;

/** The chosen jobs are the worker's from here on. */
function* handOut(
  workflow: WorkflowRow,
  chosen: readonly { job: JobRow; facts: ClaimFacts }[],
  workerId: number,
  now: number,
): Script<Claim[]> {
  yield* toPending(chosen.map(({ job }) => job.id));
  const attempts: NewAttempt[] = [];
  for (const { job } of chosen) {
    const caller = job.call_id === null ? null : yield* findCaller(job.call_id);
    attempts.push({
      workflow_id: workflow.id,
      job_id: job.id,
      run_id: workflow.run_id,
      visit: job.visit,
      attempt_id: job.attempt_id + 1,
      caller: caller === null ? null : jobLabel(caller),
      worker_id: workerId,
      claimed_at: now,
    });
  }
  const tokens = yield* insertAttempts(attempts);
  return chosen.map(({ job, facts }) => ({
    token: tokens.get(job.id)!,
    workflow_id: workflow.id,
    job_id: job.id,
    run_id: workflow.run_id,
    visit: job.visit,
    attempt_id: job.attempt_id + 1,
    job_name: job.name,
    scope: job.scope,
    cwd: workflow.cwd,
    output_dir: workflow.output_dir,
    ...facts,
  }));
}

function* conditionOf(workflow: WorkflowRow, job: JobRow, config: JobConfig): Script<Claim['condition']> {
  if (config.condition === null) return null;
  const owner = {
    workflow_id: workflow.id,
    run_id: workflow.run_id,
    job_id: job.id,
    name: job.name,
    scope: job.scope,
    config,
    routing: JSON.parse(workflow.routing) as RoutingConfig,
  };
  const codes = codesOf(config, ['if'], false);
  const { inputs, env } = yield* askCode(owner, codes, { isOpen: true, error: null, output: null });
  return { inputs, env };
}

/** What a template reads; nothing for a command that is none. */
function* templateValues(
  workflow: WorkflowRow,
  job: JobRow,
  { template, reads }: JobConfig,
): Script<Pick<Claim, 'outputs' | 'failures' | 'foreach' | 'variables'>> {
  if (!template) return { outputs: {}, failures: {}, foreach: null, variables: {} };
  const joined = yield* loadJoined(job.dependency_set_id, reads);
  return {
    outputs: { ...(yield* loadOutputs(workflow.id, job.scope, reads)), ...joined.outputs },
    failures: joined.failures,
    foreach: yield* loadForeach(workflow.id, job.scope),
    variables: JSON.parse(workflow.variables) as Record<string, unknown>,
  };
}

/** The values that a job reads. Those in `known` were read before: many jobs often share one large value. */
function* inputValues(
  workflowId: number,
  names: readonly string[],
  known: Map<string, unknown>,
): Script<Record<string, unknown>> {
  const unread = names.filter((name) => !known.has(name));
  if (unread.length > 0) {
    const values = yield* loadUserData(workflowId, unread);
    for (const name of unread) known.set(name, values.get(name));
  }
  const found = names.map((name) => [name, known.get(name)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

/** The stderr patterns of each failure handler, by its name. */
function* stderrPatterns(workflowId: number): Script<Map<string, string[]>> {
  const patterns = new Map<string, string[]>();
  for (const row of yield* listHandlers(workflowId)) {
    const handler = readHandler(row);
    if (handler === 'unreadable') continue;
    patterns.set(
      handler.name,
      handler.rules.flatMap((rule) => rule.stderr ?? []),
    );
  }
  return patterns;
}

/** Limits hold for all workers of the workflow together, so they are measured in the claiming transaction. */
function* measureRoom(
  workflow: WorkflowRow,
  capacity: Capacity,
  requirements: Map<number, StoredRequirement>,
): Script<Room> {
  const named = new Map(Object.entries(JSON.parse(workflow.limits) as Record<string, number>));
  let parallel = workflow.max_parallel ?? Number.POSITIVE_INFINITY;
  if (named.size > 0 || workflow.max_parallel !== null) {
    for (const { requirement_id, count } of yield* countLiveByRequirement(workflow.id)) {
      parallel -= count;
      for (const [name, amount] of Object.entries(requirements.get(requirement_id)!.resources)) {
        named.set(name, (named.get(name) ?? 0) - amount * count);
      }
    }
  }
  return new Room(capacity, named, parallel);
}
