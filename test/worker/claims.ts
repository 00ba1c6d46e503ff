import type { EvaluationOrder } from '../../src/contract/records/errand.ts';
import type { Claim } from '../../src/contract/records/exchange.ts';
import type { EvaluationInputs } from '../../src/core/job/evaluation.ts';
import { DEFAULT_JOB_CONFIG, type JobConfig, NO_REQUIREMENT } from '../../src/core/model/workflow-model.ts';

/** A claim as the engine would make it for a job that says nothing but its command. */
export function claimOf({
  config,
  ...given
}: Partial<Omit<Claim, 'config'>> & { config?: Partial<JobConfig> }): Claim {
  return {
    token: 1,
    workflow_id: 1,
    run_id: 1,
    job_id: 1,
    job_name: 'step',
    scope: '',
    visit: 1,
    attempt_id: 1,
    cwd: '/',
    output_dir: 'output',
    config: { ...DEFAULT_JOB_CONFIG, command: 'true', ...config },
    requirement: NO_REQUIREMENT,
    stderr_patterns: [],
    condition: null,
    outputs: {},
    failures: {},
    foreach: null,
    variables: {},
    user_data: {},
    ...given,
  };
}

export function inputsOf(given: Partial<EvaluationInputs> = {}): EvaluationInputs {
  return {
    step: { id: 'step', tags: [], group: null },
    attempt: 1,
    loop: 0,
    error: null,
    foreach: null,
    outputs: {},
    failures: {},
    variables: {},
    outputs_history: {},
    output: null,
    pr: null,
    files: null,
    env: {},
    ...given,
  };
}

export function orderOf(given: Partial<EvaluationOrder> = {}): EvaluationOrder {
  return { kind: 'evaluation', id: 5, token: 1, codes: [], inputs: inputsOf(), env: [], ...given };
}
