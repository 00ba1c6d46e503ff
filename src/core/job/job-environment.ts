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
}

/** The environment every attempt gets: one table. docs/environment.md lists it; a test keeps the two equal. */
export function jobEnvironment(facts: EnvironmentFacts): Record<string, string> {
  const shared = {
    WORKFLOW_ID: String(facts.workflow_id),
    JOB_ID: String(facts.job_id),
    JOB_NAME: facts.job_name,
    OUTPUT_DIR: facts.output_dir,
    ATTEMPT_ID: String(facts.attempt_id),
    API_URL: facts.api_url,
  };
  const environment: Record<string, string> = {
    HOLDFAST_RUN_ID: String(facts.run_id),
    HOLDFAST_ATTEMPT_TOKEN: String(facts.token),
    HOLDFAST_WORK_DIR: facts.work_dir,
    HOLDFAST_CHECKPOINT_DIR: facts.checkpoint_dir,
    HOLDFAST_REPORT: facts.report_path,
    FLUSTER_JOB_ID: String(facts.job_id),
    // Programs written for fluster count attempts from 0; everything else here counts from 1.
    FLUSTER_ATTEMPT_ID: String(facts.attempt_id - 1),
  };
  if (facts.user_data_dir !== null) environment.HOLDFAST_USER_DATA_DIR = facts.user_data_dir;
  for (const [name, value] of Object.entries(shared)) {
    environment[`HOLDFAST_${name}`] = value;
    environment[`TORC_${name}`] = value;
  }
  return environment;
}

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
