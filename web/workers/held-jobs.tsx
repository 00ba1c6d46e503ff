import { useQuery } from '@tanstack/react-query';
import { visibleText } from '../../src/views/visible-text.ts';
import { call } from '../api/call.ts';
import { Link } from '../app/link.tsx';
import { pageUrl } from '../app/router.ts';
import { Problem } from '../parts/notice.tsx';
import { ToneIcon } from '../parts/status-icon.tsx';
import { TimeText } from '../parts/time-text.tsx';
import { counted } from '../parts/words.ts';

const SHOWN = 5;

/** The jobs that a worker holds, longest first. */
export function HeldJobs({ worker, count }: { worker: number; count: number }) {
  const jobs = useQuery({
    queryKey: ['held jobs', worker],
    queryFn: () => call('listWorkerJobs', worker, { limit: SHOWN }),
  });
  if (jobs.error !== null) return <Problem error={jobs.error} />;
  const held = jobs.data?.items ?? [];
  const rest = count - held.length;
  return (
    <ul
      className="mt-2 flex flex-col gap-0.5 border-t border-line pt-2 text-sm"
      aria-label={`Jobs of worker ${worker}`}
    >
      {held.map(({ workflow_id, workflow_name, job_id, name, started_at_ms }) => (
        <li key={job_id} className="flex flex-wrap items-center gap-x-2">
          <ToneIcon tone={started_at_ms === null ? 'waits' : 'runs'} />
          <Link to={pageUrl('job', { workflow_id, job_id })} className="min-w-0 underline wrap-anywhere">
            {visibleText(name)}
          </Link>
          <span className="min-w-0 text-quiet wrap-anywhere">
            of {visibleText(workflow_name)},{' '}
            {started_at_ms === null ? (
              'about to start'
            ) : (
              <>
                started <TimeText at={started_at_ms} />
              </>
            )}
          </span>
        </li>
      ))}
      {held.length > 0 && rest > 0 && <li className="text-quiet">and {counted(rest, 'more job')}</li>}
    </ul>
  );
}
