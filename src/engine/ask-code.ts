import type { CodeKey, EvaluationError } from '../core/evaluation.ts';
import type { EvaluationOrder, FinishReport } from '../core/exchange.ts';
import { describeOutcome, matchCode } from '../core/outcome.ts';
import type { RoutingConfig } from '../core/routes.ts';
import type { JobConfig } from '../core/workflow-model.ts';
import { countExecutions } from '../store/attempt-rows.ts';
import type { JobRow } from '../store/job-rows.ts';
import { findScope } from '../store/scope-rows.ts';
import type { Script } from '../store/script.ts';
import type { WorkflowRow } from '../store/workflow-rows.ts';
import { loadForeach, loadOutputHistory, loadOutputs } from './load-outputs.ts';

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

export function codeOwner(workflow: WorkflowRow, job: JobRow, config: JobConfig): CodeOwner {
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

/** The question to a worker: this code, with what it may see. */
export function* askCode(
  owner: CodeOwner,
  codes: { key: CodeKey; code: string }[],
  facts: CodeFacts,
): Script<Pick<EvaluationOrder, 'codes' | 'inputs' | 'env'>> {
  const { workflow_id, run_id, job_id, name, scope, config, routing } = owner;
  const mentions = (word: string) => codes.some(({ code }) => code.includes(word));
  const outputs = mentions('outputs') ? yield* loadOutputs(workflow_id, scope, null) : {};
  if (facts.error === null && facts.output !== undefined && facts.output !== null) {
    outputs[name] = facts.output;
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
      outputs,
      outputs_history: mentions('outputs_history')
        ? yield* loadOutputHistory(workflow_id, run_id, scope)
        : {},
      output: facts.output ?? null,
      pr: routing.context.pr,
      files: routing.context.files,
      env: Object.fromEntries(set),
    },
  };
}

/** What code sees of a failure; its logs are added where they are. */
export function errorOf(outcome: FinishReport['outcome'], problem: string | null): EvaluationError {
  return {
    message: problem ?? describeOutcome(outcome),
    code: matchCode(outcome),
    exitCode: outcome.exitCode,
    stdout: '',
    stderr: '',
  };
}

/** The code that a job has under these keys, for a failure or for a success. */
export function codesOf(
  config: JobConfig,
  keys: readonly CodeKey[],
  failed: boolean,
): { key: CodeKey; code: string }[] {
  const routes = failed ? config.onFail : config.onSuccess;
  const code: Record<CodeKey, string | null | undefined> = {
    if: config.condition,
    fail_if: config.failIf,
    run_js: routes?.runJs,
    goto_js: routes?.gotoJs,
  };
  return keys.flatMap((key) => (code[key] == null ? [] : [{ key, code: code[key] }]));
}
