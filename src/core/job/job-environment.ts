import type { AttemptPlace } from './log-files.ts';

export interface EnvironmentFacts extends AttemptPlace {
  job_name: string;
  token: number;
  output_dir: string;
  api_url: string;
  work_dir: string;
  checkpoint_dir: string;
  report_path: string;
  /** Where the attempt puts the user data that it sets; null if it sets none. */
  user_data_dir: string | null;
  /** What its own spans belong to; absent where no traces are sent. */
  traceparent?: string;
}

/** The environment every attempt gets: one table. docs/environment.md lists it; a test keeps the two equal. */
export function jobEnvironment(facts: EnvironmentFacts): Record<string, string> {
  const workflowId = String(facts.workflow_id);
  const jobId = String(facts.job_id);
  const attemptId = String(facts.attempt_id);
  const environment: Record<string, string> = {
    HOLDFAST_RUN_ID: String(facts.run_id),
    HOLDFAST_ATTEMPT_TOKEN: String(facts.token),
    HOLDFAST_WORK_DIR: facts.work_dir,
    HOLDFAST_CHECKPOINT_DIR: facts.checkpoint_dir,
    HOLDFAST_REPORT: facts.report_path,
    FLUSTER_JOB_ID: jobId,
    // Programs written for fluster count attempts from 0; everything else here counts from 1.
    FLUSTER_ATTEMPT_ID: String(facts.attempt_id - 1),
    HOLDFAST_WORKFLOW_ID: workflowId,
    TORC_WORKFLOW_ID: workflowId,
    HOLDFAST_JOB_ID: jobId,
    TORC_JOB_ID: jobId,
    HOLDFAST_JOB_NAME: facts.job_name,
    TORC_JOB_NAME: facts.job_name,
    HOLDFAST_OUTPUT_DIR: facts.output_dir,
    TORC_OUTPUT_DIR: facts.output_dir,
    HOLDFAST_ATTEMPT_ID: attemptId,
    TORC_ATTEMPT_ID: attemptId,
    HOLDFAST_API_URL: facts.api_url,
    TORC_API_URL: facts.api_url,
  };
  if (facts.user_data_dir !== null) environment.HOLDFAST_USER_DATA_DIR = facts.user_data_dir;
  if (facts.traceparent !== undefined) environment.TRACEPARENT = facts.traceparent;
  return environment;
}

/** Variables that every attempt gets, whatever `env` says. */
export const JOB_VARIABLES: ReadonlySet<string> = new Set([
  ...Object.keys(
    jobEnvironment({
      workflow_id: 0,
      run_id: 0,
      job_id: 0,
      attempt_id: 0,
      job_name: '',
      token: 0,
      output_dir: '',
      api_url: '',
      work_dir: '',
      checkpoint_dir: '',
      report_path: '',
      user_data_dir: null,
    }),
  ),
  'HOLDFAST_LAUNCHER',
]);

/** What the commands of an action get: there is no job. */
export function workflowEnvironment(facts: {
  workflow_id: number;
  run_id: number;
  output_dir: string;
  api_url: string;
}): Record<string, string> {
  const environment: Record<string, string> = { HOLDFAST_RUN_ID: String(facts.run_id) };
  for (const prefix of ['HOLDFAST', 'TORC']) {
    environment[`${prefix}_WORKFLOW_ID`] = String(facts.workflow_id);
    environment[`${prefix}_OUTPUT_DIR`] = facts.output_dir;
    environment[`${prefix}_API_URL`] = facts.api_url;
  }
  return environment;
}
