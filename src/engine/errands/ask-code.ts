import type { EvaluationOrder } from '../../contract/records/errand.ts';
import { type CodeKey, type EvaluationError, failIfProblem } from '../../core/job/evaluation.ts';
import { causeOf, describeOutcome, matchCode } from '../../core/job/outcome.ts';
import type { JobConfig } from '../../core/model/workflow-model.ts';
import type { RoutingConfig } from '../../core/policy/routes.ts';
import { countExecutions } from '../../store/rows/attempts/attempt-rows.ts';
import { findScope } from '../../store/rows/flow/scope-rows.ts';
import { getJob, type JobRow } from '../../store/rows/jobs/job-rows.ts';
import { findWorkflow, type WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import type { ObservedEnd } from '../decide/end-report.ts';
import { loadForeach, loadJoined, loadOutputHistory, loadOutputs } from '../flow/load-outputs.ts';

/** The job that has code, and what is known of it. */
export interface CodeOwner {
  workflow_id: number;
  run_id: number;
  job_id: number;
  name: string;
  scope: string;
  config: JobConfig;
  routing: RoutingConfig;
}

export function codeOwner(
  workflow: WorkflowRow,
  job: Pick<JobRow, 'id' | 'name' | 'scope'>,
  config: JobConfig,
): CodeOwner {
  return {
    workflow_id: workflow.id,
    run_id: workflow.run_id,
    job_id: job.id,
    name: job.name,
    scope: job.scope,
    config,
    routing: JSON.parse(workflow.routing) as RoutingConfig,
  };
}

export interface CodeFacts {
  /** The attempt that the code is about has not been closed. */
  isOpen: boolean;
  error: EvaluationError | null;
  /** What the attempt put out. */
  output: unknown;
}

/** Code to evaluate, with what it may see. */
export type Question = Pick<EvaluationOrder, 'codes' | 'inputs' | 'env'>;

export function* askCode(
  owner: CodeOwner,
  codes: { key: CodeKey; code: string }[],
  facts: CodeFacts,
): Script<Question> {
  const { workflow_id, run_id, job_id, name, scope, config, routing } = owner;
  // An escape may spell any name.
  const mentions = (word: string) => codes.some(({ code }) => code.includes(word) || code.includes('\\u'));
  const outputs = mentions('outputs') ? yield* loadOutputs(workflow_id, scope, null) : {};
  const joined =
    mentions('outputs') || mentions('failures')
      ? yield* loadJoined((yield* getJob(job_id)).dependency_set_id, null)
      : { outputs: {}, failures: {} };
  const history = mentions('outputs_history') ? yield* loadOutputHistory(workflow_id, run_id, scope) : {};
  if (facts.error === null && facts.output !== undefined && facts.output !== null) {
    outputs[name] = facts.output;
    if (facts.isOpen) history[name] = [...(history[name] ?? []), facts.output];
  }
  const set = Object.entries(config.env).filter(([key]) => routing.env.includes(key));
  return {
    codes,
    env: routing.env,
    inputs: {
      step: { id: name, tags: config.tags, group: config.group },
      attempt: (yield* countExecutions(job_id, run_id)) + (facts.isOpen ? 1 : 0),
      loop: (yield* findScope(workflow_id, scope)).loops,
      error: facts.error,
      foreach: yield* loadForeach(workflow_id, scope),
      outputs: { ...outputs, ...joined.outputs },
      failures: joined.failures,
      variables: mentions('variables') ? yield* loadVariables(workflow_id) : {},
      outputs_history: history,
      output: facts.output ?? null,
      pr: routing.context.pr,
      files: routing.context.files,
      env: Object.fromEntries(set),
    },
  };
}

function* loadVariables(workflowId: number): Script<Record<string, unknown>> {
  return JSON.parse((yield* findWorkflow(workflowId))!.variables) as Record<string, unknown>;
}

/** What code sees of a failure; its logs, and the program's last line, are added where the logs are. */
export function errorOf({ outcome, post, evaluations = [] }: ObservedEnd): EvaluationError {
  const problem = failIfProblem(evaluations) ?? (causeOf(outcome) === null ? postProblem(post) : null);
  return {
    message: problem ?? describeOutcome(outcome),
    code: matchCode(outcome),
    exitCode: outcome.exit_code,
    stdout: '',
    stderr: '',
  };
}

function postProblem(post: ObservedEnd['post']): string | null {
  if (post === undefined) return null;
  return post.exit_code === null
    ? `its post script crashed: ${post.problem}`
    : `its post script exited with ${post.exit_code}`;
}

/** The code that a job has under these keys, for a failure or for a success. */
export function codesOf(
  config: JobConfig,
  keys: readonly CodeKey[],
  failed: boolean,
): { key: CodeKey; code: string }[] {
  const routes = failed ? config.on_fail : config.on_success;
  const code: Record<CodeKey, string | null | undefined> = {
    if: config.condition,
    fail_if: config.fail_if,
    run_js: routes?.run_js,
    goto_js: routes?.goto_js,
  };
  return keys.flatMap((key) => (code[key] == null ? [] : [{ key, code: code[key] }]));
}
