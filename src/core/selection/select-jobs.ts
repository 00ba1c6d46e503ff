import { jobLabel } from '../job/job-label.ts';
import type { JobRef } from '../job/job-ref.ts';
import type { JobStatus } from '../job/job-status.ts';
import { globMatcher } from './glob.ts';
import { hasFilters, type Selection } from './selection.ts';

export interface SelectableJob {
  id: number;
  name: string;
  scope: string;
  status: JobStatus;
}

export interface SelectionFacts<J extends SelectableJob> {
  /** Every job that the selection can mean, in the order of their ids. */
  jobs: readonly J[];
  /** The jobs of `from` and what is downstream of them. */
  below: ReadonlySet<number>;
  /** Of the last failure, by job. */
  fingerprints: ReadonlyMap<number, string>;
}

export interface Selected<J extends SelectableJob> {
  /** In the order of their ids. */
  jobs: J[];
  /** Those that were asked for by name, with nothing that could leave them out: each of them is meant. */
  named: ReadonlySet<number>;
  /** Names that no job has, and patterns that none matches. */
  unknown: string[];
}

export function selectJobs<J extends SelectableJob>(
  selection: Selection,
  { jobs, below, fingerprints }: SelectionFacts<J>,
): Selected<J> {
  const { jobs: refs = [], patterns = [], statuses, fingerprint } = selection;
  const { ids: named, unknown } = findRefs(refs, jobs);
  const matched = new Set<number>();
  for (const pattern of patterns) {
    const isMatch = globMatcher(pattern);
    let count = 0;
    for (const job of jobs) {
      if (!isMatch(jobLabel(job))) continue;
      count += 1;
      matched.add(job.id);
    }
    if (count === 0) unknown.push(pattern);
  }
  const isAll =
    selection.jobs === undefined && selection.patterns === undefined && selection.from === undefined;
  const isKept = ({ id, status }: J) =>
    (isAll || named.has(id) || matched.has(id) || below.has(id)) &&
    (statuses === undefined || statuses.includes(status)) &&
    (fingerprint === undefined || fingerprints.get(id) === fingerprint);
  return { jobs: jobs.filter(isKept), named: hasFilters(selection) ? new Set() : named, unknown };
}

/** The jobs that numbers, names and labels mean, and those of them that mean none. */
export function findRefs(
  refs: readonly JobRef[],
  jobs: readonly Pick<SelectableJob, 'id' | 'name' | 'scope'>[],
): { ids: Set<number>; unknown: string[] } {
  const ids = new Set<number>();
  const unknown: string[] = [];
  if (refs.length === 0) return { ids, unknown };
  const known = new Map<JobRef, number[]>();
  for (const job of jobs) {
    known.set(job.id, [job.id]);
    addTo(known, job.name, job.id);
    if (job.scope !== '') addTo(known, jobLabel(job), job.id);
  }
  for (const ref of refs) {
    const found = known.get(ref);
    if (found === undefined) unknown.push(String(ref));
    else for (const id of found) ids.add(id);
  }
  return { ids, unknown };
}

function addTo(known: Map<JobRef, number[]>, key: string, id: number): void {
  const ids = known.get(key);
  if (ids === undefined) known.set(key, [id]);
  else ids.push(id);
}
