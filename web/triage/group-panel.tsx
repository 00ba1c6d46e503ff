import { useQuery } from '@tanstack/react-query';
import type { FailureSummary } from '../../src/contract/records/resolution.ts';
import { formatDuration, formatSize } from '../../src/core/text/quantity.ts';
import { findPatterns } from '../../src/views/failure-patterns.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { ask } from '../api/call.ts';
import { Link } from '../app/link.tsx';
import { pageUrl } from '../app/router.ts';
import { ansiPieces, plainText } from '../job/ansi.ts';
import { logUrl } from '../job/use-log.ts';
import { Button } from '../parts/button.tsx';
import { Problem } from '../parts/notice.tsx';
import { Card } from '../parts/section.tsx';
import { TimeText } from '../parts/time-text.tsx';
import { counted } from '../parts/words.ts';
import { PastDecisions } from './past-decisions.tsx';
import { useGroupJobs } from './use-group-jobs.ts';

const EXCERPT_BYTES = 4096;
const EXCERPT_LINES = 15;
const JOBS_SHOWN = 12;

/** What failed, how, the end of what one of the jobs wrote, and what was decided about such failures before. */
export function GroupPanel({
  workflow,
  group,
  onDecide,
}: {
  workflow: number;
  group: FailureSummary;
  onDecide: ((action: 'retry' | 'fail') => void) | null;
}) {
  const { error, cause, fingerprint, jobs, sample: job, past } = group;
  const named = useGroupJobs(workflow, group, JOBS_SHOWN).data ?? [job];
  const facts = [
    cause !== 'exit' && cause,
    job.memory_bytes !== null && `memory ${formatSize(job.memory_bytes)}`,
    job.peak_rss_bytes !== null && `peak ${formatSize(job.peak_rss_bytes)}`,
    job.runtime_ms !== null && `runtime limit ${formatDuration(job.runtime_ms)}`,
    job.ran_ms !== null && `ran ${formatDuration(job.ran_ms)}`,
    `fingerprint ${fingerprint}`,
  ].filter((fact) => fact !== false);
  return (
    <Card className="min-w-0 self-start p-4 lg:sticky lg:top-4 lg:max-h-[calc(100dvh-2rem)] lg:overflow-y-auto">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-lg font-semibold wrap-anywhere">
            {counted(jobs, 'job')}: {visibleText(error)}
          </h2>
          <p className="text-sm text-quiet wrap-anywhere">{facts.join(' · ')}</p>
        </div>
        {onDecide !== null && (
          <div className="flex gap-2">
            <Button kind="main" onClick={() => onDecide('retry')} aria-keyshortcuts="r">
              Retry …
            </Button>
            <Button kind="danger" onClick={() => onDecide('fail')} aria-keyshortcuts="f">
              Fail …
            </Button>
          </div>
        )}
      </div>
      <h3 className="mt-4 mb-1 text-sm font-semibold wrap-anywhere">
        End of stderr of{' '}
        <Link to={pageUrl('job', { workflow_id: workflow, job_id: job.job_id })} className="underline">
          {visibleText(job.name)}
        </Link>
        <span className="font-normal text-quiet">
          , failed <TimeText at={job.finished_at_ms} />
        </span>
      </h3>
      <Excerpt
        url={logUrl(
          { workflow, job: job.job_id, stream: 'stderr', runId: job.run_id, attemptId: job.attempt_id },
          { offset: -EXCERPT_BYTES, limit: EXCERPT_BYTES },
        )}
      />
      <h3 className="mt-4 mb-1 text-sm font-semibold">Jobs</h3>
      <p className="text-sm wrap-anywhere">
        {named.map(({ job_id, name }, index) => (
          <span key={job_id}>
            {index > 0 && ', '}
            <Link to={pageUrl('job', { workflow_id: workflow, job_id })} className="underline">
              {visibleText(name)}
            </Link>
          </span>
        ))}
        {jobs > named.length && ` and ${counted(jobs - named.length, 'more job')}`}
      </p>
      <PastDecisions past={past} />
    </Card>
  );
}

/** The error is in the last lines, however long those before it are. */
function toItsEnd(frame: HTMLElement | null): void {
  if (frame !== null) frame.scrollTop = frame.scrollHeight;
}

/** The last lines, and what is known about errors of this kind. */
function Excerpt({ url }: { url: string }) {
  const log = useQuery({
    queryKey: ['excerpt', url],
    queryFn: async () => (await ask(url)).text(),
  });
  if (log.error !== null) return <Problem error={log.error} />;
  const lines = (log.data ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-EXCERPT_LINES);
  const patterns = findPatterns(lines.map(plainText).join('\n'));
  return (
    <>
      <pre
        ref={toItsEnd}
        key={log.isSuccess ? 'read' : 'pending'}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach that
        tabIndex={0}
        className="max-h-[60dvh] min-h-12 overflow-auto rounded-md border border-line bg-log p-3 font-mono text-xs leading-5 whitespace-pre-wrap text-log-text wrap-anywhere"
      >
        {log.isPending
          ? 'Loading …'
          : lines.length === 0
            ? 'Nothing was written to stderr.'
            : lines.map((line, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and do not move
                <span key={index} className="block">
                  {ansiPieces(line).map(({ text, className, color }, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: as the lines
                    <span key={at} className={className} style={color === null ? undefined : { color }}>
                      {visibleText(text)}
                    </span>
                  ))}
                </span>
              ))}
      </pre>
      {patterns.length > 0 && (
        <p className="mt-1 text-sm text-quiet">
          {patterns
            .map(({ pattern, suggests }) =>
              suggests === 'transient'
                ? `“${pattern}” often passes by itself.`
                : `“${pattern}” usually happens again in every attempt.`,
            )
            .join(' ')}
        </p>
      )}
    </>
  );
}
