import type { JobRecord, Page } from '../../src/contract/records/records.ts';
import type { JobStatus } from '../../src/core/job/job-status.ts';
import { call } from '../api/call.ts';

const PAGE = 1000;

/** What the table is filtered to. */
export interface JobFilter {
  /** A part of the name, or a pattern; '': any. */
  name: string;
  /** None: any. */
  statuses: JobStatus[];
}

/** Numbers of the jobs that the table lists with these filters, `most` of them at most. */
export async function listedJobs(
  workflow: number,
  { name, statuses }: JobFilter,
  most: number,
): Promise<number[]> {
  const ids: number[] = [];
  for (let after: number | null = null; ids.length < most; ) {
    const page: Page<JobRecord> = await call('listJobs', workflow, {
      limit: PAGE,
      ...(statuses.length > 0 && { status: statuses }),
      ...(name !== '' && { name }),
      ...(after !== null && { after }),
    });
    ids.push(...page.items.map(({ id }) => id));
    if (page.next === null) break;
    after = page.next;
  }
  return ids.slice(0, most);
}
