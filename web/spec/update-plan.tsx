import type { UpdatedJob, UpdateResult } from '../../src/contract/records/update.ts';
import { rerunReasonText, updateActionText } from '../../src/views/rerun/update-text.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { Link } from '../app/link.tsx';
import { pageUrl } from '../app/router.ts';
import { Card } from '../parts/section.tsx';
import { counted } from '../parts/words.ts';

/** What is done about each job, why, and what is different. */
export function UpdatePlan({ workflow, plan }: { workflow: number; plan: UpdateResult }) {
  const { jobs, left_off } = plan;
  if (jobs.length + plan.workflow.length === 0) return null;
  return (
    <Card>
      {plan.workflow.length > 0 && (
        <div className="border-b border-line px-4 py-2 text-sm">
          <p className="font-medium">The workflow itself</p>
          <Changes changes={plan.workflow} />
        </div>
      )}
      <ul
        aria-label="Jobs of the plan"
        className="max-h-[60dvh] divide-y divide-line overflow-y-auto text-sm"
      >
        {jobs.map(({ job_id, name, action, reason, changes }) => (
          <li
            key={`${job_id} ${name}`}
            className="grid gap-x-4 px-4 py-2 sm:grid-cols-[14rem_7rem_minmax(0,1fr)]"
          >
            {job_id === null ? (
              <span className="truncate font-medium">{visibleText(name)}</span>
            ) : (
              <Link
                to={pageUrl('job', { workflow_id: workflow, job_id })}
                className="truncate font-medium hover:underline"
              >
                {visibleText(name)}
              </Link>
            )}
            <span>{updateActionText(action)}</span>
            <span className="min-w-0 wrap-anywhere">
              {visibleText(rerunReasonText(reason))}
              <Changes changes={changes} />
            </span>
          </li>
        ))}
      </ul>
      {left_off > 0 && (
        <p className="border-t border-line px-4 py-2 text-sm text-quiet">
          and {counted(left_off, 'more job')}
        </p>
      )}
    </Card>
  );
}

function Changes({ changes }: { changes: UpdatedJob['changes'] }) {
  return changes.map(({ field, from, to, diff }) => (
    <span key={field} className="mt-1 block">
      {diff === null ? (
        <span className="block font-mono text-xs text-quiet">
          {visibleText(field)}: {visibleText(from ?? 'none')} → {visibleText(to ?? 'none')}
        </span>
      ) : (
        <span className="block font-mono text-xs whitespace-pre-wrap text-quiet">
          {[`${field}:`, ...diff].map(visibleText).join('\n')}
        </span>
      )}
    </span>
  ));
}
