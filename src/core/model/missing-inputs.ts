import { HoldfastError } from '../errors.ts';
import { jobLabel } from '../job/job-label.ts';
import type { WorkflowModel } from './workflow-model.ts';

/** More of them than this are counted. */
const FILES_SHOWN = 20;
const JOBS_SHOWN = 3;

/** An input of a job that no job writes and that does not exist. */
export interface MissingInput {
  /** Its label. */
  job: string;
  path: string;
  /** null: where the workflow is run. */
  directory: string | null;
}

/** Whether a path exists, seen from the directory of the job (null: where the workflow is run). */
type Exists = (path: string, directory: string | null) => boolean;

/** The inputs that no job writes and that do not exist, as an error; undefined if there is none. */
export function findMissingInputs(model: WorkflowModel, exists: Exists): HoldfastError | undefined {
  const missing = listMissingInputs(model, exists);
  return missing.length === 0 ? undefined : missingInputs(missing);
}

export function listMissingInputs(model: WorkflowModel, exists: Exists): MissingInput[] {
  const known = new Map<string, boolean>();
  const missing: MissingInput[] = [];
  for (const { name, scope, config } of model.jobs) {
    for (const path of config.given_files) {
      const key = `${config.cwd ?? ''}\0${path}`;
      const isThere = known.get(key) ?? exists(path, config.cwd);
      known.set(key, isThere);
      if (!isThere) missing.push({ job: jobLabel({ name, scope }), path, directory: config.cwd });
    }
  }
  return missing;
}

/** One line for each file, however many jobs read it. */
export function missingInputs(missing: readonly MissingInput[]): HoldfastError {
  const readers = new Map<string, string[]>();
  for (const { job, path, directory } of missing) {
    const file = directory === null || path.startsWith('/') ? path : `${path} in ${directory}`;
    const jobs = readers.get(file);
    if (jobs === undefined) readers.set(file, [job]);
    else jobs.push(job);
  }
  const lines = [...readers].map(
    ([file, jobs]) => `${namesOf(jobs)}: the input ${file} does not exist, and no job writes it`,
  );
  const more = lines.length > FILES_SHOWN ? [`and ${lines.length - FILES_SHOWN} more`] : [];
  return new HoldfastError('MISSING_INPUT', {
    problems: [...lines.slice(0, FILES_SHOWN), ...more].join('\n'),
  });
}

function namesOf(jobs: readonly string[]): string {
  if (jobs.length === 1) return `job ${jobs[0]}`;
  const more = jobs.length - JOBS_SHOWN;
  return `jobs ${jobs.slice(0, JOBS_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
