import { DISCARDED, type StdioMode } from './stdio.ts';

export interface AttemptPlace {
  workflow_id: number;
  job_id: number;
  run_id: number;
  attempt_id: number;
}

/** Log files of an attempt, or of a script beside it, relative to the output directory. */
export function logFiles(attempt: AttemptPlace, script: 'post' | 'recovery' | null = null): LogPaths {
  const base = `job_stdio/job_wf${attempt.workflow_id}_j${attempt.job_id}_r${attempt.run_id}_a${attempt.attempt_id}${script === null ? '' : `.${script}`}`;
  return { stdout: `${base}.o`, stderr: `${base}.e` };
}

interface LogPaths {
  stdout: string;
  stderr: string;
}

/** Where the stdout and stderr of an attempt are kept; both in one file, or nowhere, where `stdio` says so. */
export function logPaths(attempt: AttemptPlace, outputDir: string, mode: StdioMode): LogPaths {
  const files = attemptLogFiles(attempt, mode);
  const within = (path: string | null) => (path === null ? DISCARDED : `${outputDir}/${path}`);
  return { stdout: within(files.stdout), stderr: within(files.stderr) };
}

/** Log files of an attempt, relative to the output directory; null where the stream is discarded. */
export function attemptLogFiles(
  attempt: AttemptPlace,
  mode: StdioMode,
): { stdout: string | null; stderr: string | null } {
  const { stdout, stderr } = logFiles(attempt);
  const both = stdout.replace(/\.o$/, '.log');
  switch (mode) {
    case 'separate':
      return { stdout, stderr };
    case 'combined':
      return { stdout: both, stderr: both };
    case 'no_stdout':
      return { stdout: null, stderr };
    case 'no_stderr':
      return { stdout, stderr: null };
    case 'none':
      return { stdout: null, stderr: null };
  }
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
export function actionLogFiles(action: {
  workflow_id: number;
  run_id: number;
  action_id: number;
  /** Of an action that runs on every worker. */
  worker_id: number | null;
}): { stdout: string; stderr: string } {
  const worker = action.worker_id === null ? '' : `_w${action.worker_id}`;
  const base = `job_stdio/action_wf${action.workflow_id}_r${action.run_id}_x${action.action_id}${worker}`;
  return { stdout: `${base}.o`, stderr: `${base}.e` };
}

/** Log files of the newest try of an output hook, relative to the output directory. */
export function outputsLogFiles(errand: { workflow_id: number; id: number; event: string }): LogPaths {
  const base = `job_stdio/outputs_wf${errand.workflow_id}_${errand.event}_${errand.id}`;
  return { stdout: `${base}.o`, stderr: `${base}.e` };
}
