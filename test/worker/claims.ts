import type { EvaluationInputs } from '../../src/core/evaluation.ts';
import type { Claim, EvaluationOrder } from '../../src/core/exchange.ts';
import { DEFAULT_JOB_CONFIG, type JobConfig } from '../../src/core/workflow-model.ts';

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
    requirement: { name: null, cpus: null, memoryBytes: null, gpus: 0, nodes: 1, resources: {} },
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
    outputs_history: {},
    output: null,
    pr: null,
    files: null,
    env: {},
    ...given,
  };
}

export function orderOf(given: Partial<EvaluationOrder> = {}): EvaluationOrder {
  return { of: 'attempt', token: 1, codes: [], inputs: inputsOf(), env: [], ...given };
}
