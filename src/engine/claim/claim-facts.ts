import type { Claim } from '../../contract/records/exchange.ts';
import type { JobConfig, Requirement } from '../../core/model/workflow-model.ts';
import { type ClaimableJob, decodeConfig } from '../../store/rows/jobs/job-rows.ts';
import { listHandlers } from '../../store/rows/workflows/handler-rows.ts';
import { loadUserData } from '../../store/rows/workflows/user-data-rows.ts';
import {
  listRequirements,
  type StoredRequirement,
  type WorkflowRow,
} from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { readHandler } from '../decide/load-policy.ts';
import { askCode, codeOwner, codesOf } from '../errands/ask-code.ts';
import { loadForeach, loadJoined, loadOutputs } from '../flow/load-outputs.ts';

export type ClaimFacts = Pick<
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

/** What is read once for all claims of a transaction in one workflow. */
export interface SharedFacts {
  requirements: ReadonlyMap<number, StoredRequirement>;
  /** The stderr patterns of each failure handler, by its name. */
  patterns: ReadonlyMap<string, string[]>;
  /** Values that were read before: many jobs often share one large value. */
  userData: Map<string, unknown>;
}

/** Everything that a worker has to know of a job in order to run it. */
export function* claimFacts(
  workflow: WorkflowRow,
  job: ClaimableJob,
  shared: SharedFacts,
): Script<ClaimFacts> {
  const config = decodeConfig(job.config);
  const condition = yield* conditionOf(workflow, job, config);
  const { outputs, failures, foreach, variables } = yield* templateValues(workflow, job, config);
  return {
    config,
    requirement: withoutId(shared.requirements.get(job.requirement_id)!),
    stderr_patterns: shared.patterns.get(config.failure_handler ?? '') ?? [],
    condition,
    outputs,
    failures,
    foreach,
    variables,
    user_data: yield* inputValues(workflow.id, config.user_data.inputs, shared.userData),
  };
}

/** Of what is stored: many jobs share a requirement. */
const needs = new WeakMap<StoredRequirement, Requirement>();

function withoutId(stored: StoredRequirement): Requirement {
  const known = needs.get(stored);
  if (known !== undefined) return known;
  const { id: _, ...need } = stored;
  needs.set(stored, need);
  return need;
}

/** The right to make the attempt with this number. Field by field, since copies of objects are slow. */
export function claimOf(
  workflow: WorkflowRow,
  job: ClaimableJob,
  facts: ClaimFacts,
  attempt: { token: number; attempt_id: number },
): Claim {
  return {
    token: attempt.token,
    attempt_id: attempt.attempt_id,
    workflow_id: workflow.id,
    job_id: job.id,
    run_id: workflow.run_id,
    visit: job.visit,
    job_name: job.name,
    scope: job.scope,
    cwd: workflow.cwd,
    output_dir: workflow.output_dir,
    config: facts.config,
    requirement: facts.requirement,
    stderr_patterns: facts.stderr_patterns,
    condition: facts.condition,
    outputs: facts.outputs,
    failures: facts.failures,
    foreach: facts.foreach,
    variables: facts.variables,
    user_data: facts.user_data,
  };
}

/** The claim of a job that a worker has already, as it was handed out. */
export function* repeatClaim(workflow: WorkflowRow, job: ClaimableJob, token: number): Script<Claim> {
  const requirements = byId(yield* listRequirements(workflow.id));
  const patterns = yield* stderrPatterns(workflow.id);
  const facts = yield* claimFacts(workflow, job, { requirements, patterns, userData: new Map() });
  return claimOf(workflow, job, facts, { token, attempt_id: job.attempt_id });
}

export function byId(requirements: readonly StoredRequirement[]): Map<number, StoredRequirement> {
  return new Map(requirements.map((requirement) => [requirement.id, requirement]));
}

function* conditionOf(
  workflow: WorkflowRow,
  job: ClaimableJob,
  config: JobConfig,
): Script<Claim['condition']> {
  if (config.condition === null) return null;
  const owner = codeOwner(workflow, job, config);
  const codes = codesOf(config, ['if'], false);
  const { inputs, env } = yield* askCode(owner, codes, { isOpen: true, error: null, output: null });
  return { inputs, env };
}

/** What a template reads; nothing for a command that is none. */
function* templateValues(
  workflow: WorkflowRow,
  job: ClaimableJob,
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

/** The values that a job reads. */
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

export function* stderrPatterns(workflowId: number): Script<Map<string, string[]>> {
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
