import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { FailedJob, FailureSummary } from '../../src/contract/records/resolution.ts';
import { call } from '../api/call.ts';

/** Jobs of a group that wait for a decision, at most so many of them. */
export function useGroupJobs(
  workflow: number,
  { fingerprint, jobs }: FailureSummary,
  limit: number,
): UseQueryResult<FailedJob[]> {
  return useQuery({
    queryKey: ['failures', workflow, fingerprint, jobs, limit],
    queryFn: async () => {
      const groups = await call('listFailures', workflow, { status: ['pending_failed'], fingerprint, limit });
      return groups.flatMap((group) => group.jobs);
    },
  });
}
