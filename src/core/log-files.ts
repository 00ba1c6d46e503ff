export interface AttemptPlace {
  workflow_id: number;
  job_id: number;
  run_id: number;
  attempt_id: number;
}

/** Log files of an attempt, or of a script beside it, relative to the output directory. */
export function logFiles(
  attempt: AttemptPlace,
  script: 'post' | 'recovery' | null = null,
): { stdout: string; stderr: string } {
  const base = `job_stdio/job_wf${attempt.workflow_id}_j${attempt.job_id}_r${attempt.run_id}_a${attempt.attempt_id}${script === null ? '' : `.${script}`}`;
  return { stdout: `${base}.o`, stderr: `${base}.e` };
}

/** The attempt's own directory, relative to the state directory. */
export function workDirectory(attempt: AttemptPlace): string {
  return `work/r${attempt.run_id}/${attempt.job_id}_attempt_${attempt.attempt_id}`;
}

/** Shared by all attempts of a job, relative to the state directory. */
export function checkpointDirectory(attempt: Pick<AttemptPlace, 'job_id'>): string {
  return `checkpoints/${attempt.job_id}`;
}

/** Log files of an action, relative to the output directory. */
export function actionLogFiles(action: { workflow_id: number; run_id: number; action_id: number }): {
  stdout: string;
  stderr: string;
} {
  const base = `job_stdio/action_wf${action.workflow_id}_r${action.run_id}_x${action.action_id}`;
  return { stdout: `${base}.o`, stderr: `${base}.e` };
}
