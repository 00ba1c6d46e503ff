import { useQuery } from '@tanstack/react-query';
import type { WorkflowStatus } from '../../src/contract/records/records.ts';
import type { FailureSummary } from '../../src/contract/records/resolution.ts';
import type { JobStatus } from '../../src/core/job/job-status.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { call } from '../api/call.ts';
import { Link } from '../app/link.tsx';
import { pageUrl } from '../app/router.ts';
import { ErrorLine } from '../job/error-line.tsx';
import { StatusMark } from '../parts/status-icon.tsx';
import { TimeText } from '../parts/time-text.tsx';
import { counted } from '../parts/words.ts';

const SHOWN = 3;
const FAILED: JobStatus[] = ['failed', 'terminated'];

/** Jobs that failed for good, by how: a sentence for each of the largest groups, which leads to one of its jobs. */
export function FailureGroups({ status: { workflow, counts } }: { status: WorkflowStatus }) {
  const failed = counts.failed + counts.terminated;
  const failures = useQuery({
    queryKey: ['failures', workflow.id, 'for good', failed],
    queryFn: () => call('summarizeFailures', workflow.id, { status: FAILED, limit: SHOWN }),
    enabled: failed > 0,
    placeholderData: (before) => before,
  });
  const { groups = [], more = false } = failures.data ?? {};
  if (failed === 0 || groups.length === 0) return null;
  return (
    <section aria-label="What failed" className="mt-3 border-t border-line pt-3 text-sm">
      <h2 className="mb-1 font-semibold">What failed</h2>
      <ul className="flex flex-col gap-1">
        {groups.map((group) => (
          <Group key={group.fingerprint} workflow={workflow.id} group={group} />
        ))}
      </ul>
      {more && <p className="mt-1 text-quiet">and others, in smaller groups</p>}
    </section>
  );
}

function Group({ workflow, group: { jobs, error, sample } }: { workflow: number; group: FailureSummary }) {
  return (
    <li>
      <p className="flex flex-wrap items-center gap-x-2 wrap-anywhere">
        <StatusMark tone="bad">
          {counted(jobs, 'job')}: {visibleText(error)}
        </StatusMark>
        <span className="min-w-0 text-quiet">
          {jobs > 1 && 'such as '}
          <Link
            to={pageUrl('job', { workflow_id: workflow, job_id: sample.job_id })}
            className="text-text underline"
          >
            {visibleText(sample.name)}
          </Link>
          , <TimeText at={sample.finished_at_ms} />
        </span>
      </p>
      <div className="pl-5.5">
        <ErrorLine workflow={workflow} sample={sample} />
      </div>
    </li>
  );
}
