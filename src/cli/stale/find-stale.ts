import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { allPages } from '../../contract/all-pages.ts';
import type { Engine, ReinitializeRequest } from '../../contract/engine.ts';
import type { JobMarks, WorkflowRecord } from '../../contract/records/records.ts';
import type { HoldfastError } from '../../core/errors.ts';
import { compareMark, staleReason } from '../../core/files/compare-mark.ts';
import type { FileMark, FileState } from '../../core/files/file-mark.ts';
import type { StaleReason } from '../../core/files/stale-reason.ts';
import { missingInputs } from '../../core/model/missing-inputs.ts';
import { lookAtFile } from '../../host/look-at-file.ts';

/** What a comparison of the declared files with what attempts found and left has shown. */
export interface FoundStale {
  stale: (ReinitializeRequest['stale'][number] & { name: string })[];
  /** How many files were compared. */
  compared: number;
  /** Why none was; null: they were. */
  invisible: string | null;
  /** Inputs that were there, that no job writes, and that do not exist any more. */
  gone: string[];
  /** Inputs that do not exist and that no job writes, of those of the jobs that run again. */
  missing(jobs: readonly { id: number }[]): HoldfastError | null;
  /** Jobs with declared files that have not started. */
  waiting: { id: number; name: string }[];
}

/** Compares the declared files of a workflow; `cwd`: where they are, instead of where the workflow says. */
export async function findStale(engine: Engine, workflow: WorkflowRecord, cwd?: string): Promise<FoundStale> {
  const jobs = await allPages((page) => engine.listFileMarks(workflow.id, page));
  const files = new DeclaredFiles(resolve(cwd ?? workflow.cwd));
  const invisible = whyInvisible(workflow, jobs, files, cwd);
  const stale = invisible !== null ? [] : jobs.flatMap((job) => staleJob(job, files));
  return {
    stale,
    compared: invisible === null ? files.count : 0,
    invisible,
    gone: invisible === null ? goneInputs(jobs, files) : [],
    missing: (again) => (invisible === null ? missingOf(jobs, again, files) : null),
    waiting: jobs
      .filter(({ status }) => WAITING.has(status))
      .map(({ job_id, name }) => ({ id: job_id, name })),
  };
}

/** Each file is looked at once, and read only if its size and time do not decide. */
class DeclaredFiles {
  readonly directory: string;
  readonly #seen = new Map<string, FileState>();

  constructor(directory: string) {
    this.directory = directory;
  }

  get count(): number {
    return this.#seen.size;
  }

  exists(job: JobMarks, path: string): boolean {
    const place = this.#locate(job, path);
    return (this.#seen.get(place) ?? this.#look(place, -1)).kind !== 'missing';
  }

  compare(job: JobMarks, mark: FileMark): StaleReason | null {
    const path = this.#locate(job, mark.path);
    const now = this.#seen.get(path) ?? this.#look(path, -1);
    const difference = compareMark(mark, now);
    if (difference !== 'unknown') return staleReason(mark, difference);
    return staleReason(mark, compareMark(mark, this.#look(path, Number.POSITIVE_INFINITY)));
  }

  #look(path: string, maxBytes: number): FileState {
    const state = lookAtFile(path, maxBytes);
    this.#seen.set(path, state);
    return state;
  }

  #locate({ cwd }: JobMarks, path: string): string {
    return resolve(this.directory, cwd ?? '.', path);
  }
}

const WAITING: ReadonlySet<JobMarks['status']> = new Set(['uninitialized', 'blocked', 'ready']);

/** Jobs that have ended; others run anyway. */
const ENDED = new Set(['completed', 'failed', 'terminated']);

function staleJob(job: JobMarks, files: DeclaredFiles): FoundStale['stale'] {
  if (!ENDED.has(job.status)) return [];
  const written = new Set(job.files.filter(({ role }) => role === 'output').map(({ path }) => path));
  for (const mark of job.files) {
    // Outputs of a failed job are nobody's business; an input that the job changes itself is its output.
    if (mark.role === 'output' ? job.status !== 'completed' : written.has(mark.path)) continue;
    const reason = files.compare(job, mark);
    if (reason !== null) return [{ job_id: job.job_id, name: job.name, reason }];
  }
  return [];
}

/** Places of workflows on a server are relative to where its workers were started, which need not be here. */
function whyInvisible(
  { cwd: place }: WorkflowRecord,
  jobs: readonly JobMarks[],
  files: DeclaredFiles,
  cwd: string | undefined,
): string | null {
  if (!existsSync(files.directory)) return `${files.directory} does not exist here`;
  if (cwd !== undefined || isAbsolute(place)) return null;
  const recorded = jobs.flatMap((job) => job.files.map(({ path }) => ({ job, path })));
  const isAny = recorded.length === 0 || recorded.some(({ job, path }) => files.exists(job, path));
  return isAny ? null : `none of them is in ${files.directory}`;
}

function goneInputs(jobs: readonly JobMarks[], files: DeclaredFiles): string[] {
  const gone = jobs.flatMap((job) =>
    job.files
      .filter(({ path, role, kind }) => role === 'input' && kind !== 'missing' && job.given.includes(path))
      .filter(({ path }) => !files.exists(job, path))
      .map(({ path }) => path),
  );
  return [...new Set(gone)];
}

function missingOf(
  jobs: readonly JobMarks[],
  again: readonly { id: number }[],
  files: DeclaredFiles,
): HoldfastError | null {
  const ids = new Set(again.map(({ id }) => id));
  const missing = jobs
    .filter(({ job_id }) => ids.has(job_id))
    .flatMap((job) =>
      job.given
        .filter((path) => !files.exists(job, path))
        .map((path) => ({ job: job.name, path, directory: job.cwd })),
    );
  return missing.length === 0 ? null : missingInputs(missing);
}
