import { useState } from 'react';
import { jobLabel } from '../../src/core/job/job-label.ts';
import { TERMINAL_STATUSES, UNSUCCESSFUL_STATUSES } from '../../src/core/job/job-status.ts';
import type { ExplainedJob } from '../../src/views/explanation.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { waitText } from '../../src/views/wait-text.ts';
import { Link } from '../app/link.tsx';
import { useMayChange } from '../app/rights.ts';
import { pageUrl } from '../app/router.ts';
import { Button, buttonStyle } from '../parts/button.tsx';
import { CodeText } from '../parts/code-text.tsx';
import { Card } from '../parts/section.tsx';
import { StatusMark, statusWords, toneOf } from '../parts/status-icon.tsx';
import { clockTime } from '../parts/times.ts';
import { counted } from '../parts/words.ts';
import type { BulkAction } from '../workflow/bulk-action.ts';
import { ACTION_WORDS, BulkDialog } from '../workflow/bulk-dialog.tsx';

/** As many as the headline names. */
const DEPENDENCIES_SHOWN = 5;

/** Why the job is where it is, and what happens next: the words of `explain`. */
export function JobHead({ explained }: { explained: ExplainedJob }) {
  const { job, headline, next, waits } = explained;
  const open = job.depends_on.filter(({ status }) => status !== 'completed');
  return (
    <Card className="p-4">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <span className="font-semibold">
          <StatusMark tone={toneOf(job.status)}>{statusWords(job.status)}</StatusMark>
        </span>
        <JobActions explained={explained} />
      </div>
      <p className="mt-2 wrap-anywhere">{visibleText(headline)}</p>
      {waits.length + open.length > 0 && (
        <ul className="mt-2 list-disc pl-5 text-sm wrap-anywhere">
          {waits.map((wait) => {
            const text = waitText(wait, clockTime);
            return (
              <li key={text}>
                <CodeText text={text} />
              </li>
            );
          })}
          {open.slice(0, DEPENDENCIES_SHOWN).map(({ job_id, name, status }) => (
            <li key={job_id}>
              after{' '}
              <Link to={pageUrl('job', { workflow_id: job.workflow_id, job_id })} className="underline">
                {visibleText(name)}
              </Link>
              , which is {statusWords(status)}
            </li>
          ))}
          {open.length > DEPENDENCIES_SHOWN && (
            <li>and {counted(open.length - DEPENDENCIES_SHOWN, 'more job')}</li>
          )}
        </ul>
      )}
      <p className="mt-2 text-sm wrap-anywhere">
        <span className="text-quiet">Next:</span> {visibleText(next)}
      </p>
      {job.config.command !== null && (
        <details className="mt-3 border-t border-line pt-3 text-sm">
          <summary className="cursor-pointer text-quiet">Command and settings</summary>
          <pre className="mt-2 max-h-80 overflow-auto rounded-md bg-raised p-3 font-mono text-xs whitespace-pre-wrap wrap-anywhere">
            {String(job.config.command)}
          </pre>
          <dl className="mt-2 flex flex-wrap gap-x-6 gap-y-1">
            <div className="flex gap-1.5">
              <dt className="text-quiet">Job</dt>
              <dd>
                {job.id}, run {job.run_id}
              </dd>
            </div>
            <div className="flex gap-1.5">
              <dt className="text-quiet">Failures</dt>
              <dd>
                {job.failure_count}, with {job.max_retries_failure} retries
              </dd>
            </div>
            <div className="flex gap-1.5">
              <dt className="text-quiet">Preemptions</dt>
              <dd>{job.preemption_count}</dd>
            </div>
          </dl>
        </details>
      )}
    </Card>
  );
}

/** The next step as a button, for those who may take it. */
function JobActions({ explained: { job, attempts } }: { explained: ExplainedJob }) {
  const [action, setAction] = useState<BulkAction | null>(null);
  const { workflow_id, status } = job;
  const mayChange = useMayChange(workflow_id);
  const hasFailed = UNSUCCESSFUL_STATUSES.has(status) && status !== 'canceled';
  const offered: BulkAction[] = [
    ...(hasFailed ? (['retry'] as const) : []),
    ...(TERMINAL_STATUSES.has(status) && attempts.length > 0 ? (['from'] as const) : []),
    ...(TERMINAL_STATUSES.has(status) ? [] : (['cancel'] as const)),
  ];
  return (
    <div className="flex flex-wrap gap-2">
      {status === 'pending_failed' && (
        <Link to={pageUrl('triage', { workflow_id })} className={buttonStyle('main')}>
          {mayChange ? 'Decide' : 'See the failures'}
        </Link>
      )}
      {mayChange &&
        offered.map((each) => (
          <Button
            key={each}
            kind={each === 'cancel' ? 'danger' : each === 'retry' ? 'main' : 'plain'}
            onClick={() => setAction(each)}
          >
            {ACTION_WORDS[each]} …
          </Button>
        ))}
      {action !== null && (
        <BulkDialog
          workflow={workflow_id}
          action={action}
          selection={action === 'from' ? { from: [job.id] } : { jobs: [job.id] }}
          what={jobLabel(job)}
          onClose={() => setAction(null)}
        />
      )}
    </div>
  );
}
