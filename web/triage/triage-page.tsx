import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FailureSummary } from '../../src/contract/records/resolution.ts';
import { call } from '../api/call.ts';
import { useKeys } from '../app/keys.ts';
import { Link } from '../app/link.tsx';
import { useWorkflow } from '../app/rights.ts';
import { pageUrl, setQuery, usePlace } from '../app/router.ts';
import { Crumbs, workflowCrumb } from '../parts/crumbs.tsx';
import { focusSearch, SearchField } from '../parts/field.tsx';
import { Problem } from '../parts/notice.tsx';
import { Empty, Loading } from '../parts/section.tsx';
import { useTitle } from '../parts/use-title.ts';
import { counted } from '../parts/words.ts';
import { DecisionDialog } from './decision-dialog.tsx';
import { GroupList } from './group-list.tsx';
import { GroupPanel } from './group-panel.tsx';

const MOST_GROUPS = 200;

/** One group of failures at a time: what it looks like, what was decided before, and the decision. */
export function TriagePage({ workflow }: { workflow: number }) {
  const { query } = usePlace();
  const record = useWorkflow(workflow);
  const mayChange = record?.may_change === true;
  const [action, setAction] = useState<'retry' | 'fail' | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const failures = useQuery({
    queryKey: ['failures', workflow],
    queryFn: () => call('summarizeFailures', workflow, { status: ['pending_failed'], limit: MOST_GROUPS }),
  });
  useTitle('Triage');
  const all = failures.data?.groups ?? [];
  const text = query.get('name') ?? '';
  const groups = all.filter((each) => matches(each, text));
  const wanted = groups.findIndex(({ fingerprint }) => fingerprint === query.get('fingerprint'));
  const index = Math.max(0, wanted);
  const group = groups[index];
  const choose = (next: number) => {
    const chosen = groups[next];
    if (chosen !== undefined) setQuery({ fingerprint: chosen.fingerprint });
  };
  const decide = (next: 'retry' | 'fail') =>
    mayChange && group !== undefined ? () => setAction(next) : undefined;
  useKeys({
    j: () => choose(index + 1),
    k: () => choose(index - 1),
    r: decide('retry'),
    f: decide('fail'),
    '/': focusSearch,
  });
  return (
    <div className="flex flex-col gap-5">
      <Crumbs trail={[workflowCrumb(workflow, record)]} here="Triage" />
      <div role="status" className="empty:hidden">
        {done !== null && (
          <p className="rounded-lg border border-line bg-card px-4 py-2 text-sm wrap-anywhere">{done}</p>
        )}
      </div>
      {failures.error !== null && <Problem error={failures.error} />}
      {failures.isPending && <Loading />}
      {failures.isSuccess && all.length === 0 && (
        <Empty>
          Nothing waits for a decision in this workflow.{' '}
          <Link to={pageUrl('workflow', { workflow_id: workflow })} className="text-accent underline">
            To the workflow
          </Link>
        </Empty>
      )}
      {all.length > 0 && (
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <p className="text-sm text-quiet">
            {counted(
              groups.reduce((sum, { jobs }) => sum + jobs, 0),
              'job',
            )}{' '}
            in {text === '' ? '' : `${groups.length} of `}
            {counted(all.length, 'group')} of failures that look alike
            {failures.data?.more ? ', the largest ones' : ''}.
            {groups.length > 1 && (
              <span className="max-sm:hidden">
                {' '}
                The keys <kbd>j</kbd> and <kbd>k</kbd> go through them.
              </span>
            )}
          </p>
          <div className="w-full sm:w-56">
            <SearchField
              label="Search failures"
              value={text}
              onChange={(event) => setQuery({ name: event.target.value })}
            />
          </div>
        </div>
      )}
      {all.length > 0 && group === undefined && <Empty>No failure matches this search.</Empty>}
      {group !== undefined && (
        <>
          <div className="grid grid-cols-1 gap-5 lg:grid-cols-[17rem_minmax(0,1fr)]">
            <GroupList groups={groups} index={index} onChoose={choose} />
            <GroupPanel
              key={group.fingerprint}
              workflow={workflow}
              group={group}
              onDecide={mayChange ? setAction : null}
            />
          </div>
          {action !== null && (
            <DecisionDialog
              key={group.fingerprint}
              workflow={workflow}
              group={group}
              action={action}
              onClose={() => setAction(null)}
              onDone={setDone}
            />
          )}
        </>
      )}
    </div>
  );
}

/** By the error, the fingerprint, or the name of the job that stands for the group. */
function matches({ error, fingerprint, sample }: FailureSummary, text: string): boolean {
  return [error, fingerprint, sample.name].some((each) => each.toLowerCase().includes(text.toLowerCase()));
}
