import { type ReactNode, Suspense } from 'react';
import type { WorkflowStatus } from '../../src/contract/records/records.ts';
import { formatDuration } from '../../src/core/text/quantity.ts';
import { remainingMs } from '../../src/views/remaining-time.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { endedCount, jobCount, workflowState } from '../../src/views/workflow-state.ts';
import { lazyPart } from '../app/lazy-part.tsx';
import { Link } from '../app/link.tsx';
import { ownerFacts, useHasOwners } from '../app/owner.ts';
import { pageUrl } from '../app/router.ts';
import { buttonStyle } from '../parts/button.tsx';
import { Notice } from '../parts/notice.tsx';
import { CountsLegend, ProgressBar } from '../parts/progress.tsx';
import { Card } from '../parts/section.tsx';
import { StatusMark } from '../parts/status-icon.tsx';
import { TimeText } from '../parts/time-text.tsx';
import { fullTime, useNow } from '../parts/times.ts';
import { counted } from '../parts/words.ts';
import { workflowTone } from '../parts/workflow-tone.ts';
import { FailureGroups } from './failure-groups.tsx';
import { WorkflowActions } from './workflow-actions.tsx';

/** Loaded after the jobs are asked for: groups of many jobs take a server a while. */
const StageList = lazyPart(async () => (await import('./stage-list.tsx')).StageList);

/** How the workflow stands, how far it is, and what can be done with it as a whole. */
export function WorkflowHead({ status }: { status: WorkflowStatus }) {
  const { workflow, counts, workers } = status;
  const state = workflowState(status);
  const total = jobCount(counts);
  const waiting = counts.pending_failed;
  return (
    <>
      {waiting > 0 && (
        <div className="flex flex-wrap items-center gap-3 rounded-lg border border-asks bg-asks-ground px-4 py-3">
          <p className="grow font-semibold">
            {counted(waiting, 'job')} {waiting === 1 ? 'waits' : 'wait'} for a decision
          </p>
          <Link to={pageUrl('triage', { workflow_id: workflow.id })} className={buttonStyle('main')}>
            {workflow.may_change === true ? 'Decide' : 'See the failures'}
          </Link>
        </div>
      )}
      {status.held_schedulers.map(({ name, reason }) => (
        <Notice
          key={name}
          kind="asks"
          title={visibleText(`Scheduler ${name} submits nothing now: ${reason}`)}
        />
      ))}
      <Card className="p-4">
        <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <span className="font-semibold">
              <StatusMark tone={workflowTone(state)}>{state}</StatusMark>
            </span>
            <span className="text-sm text-quiet">
              {endedCount(counts).toLocaleString('en-GB')} of {counted(total, 'job')} ended
              <Remaining status={status} />
            </span>
          </div>
          <WorkflowActions status={status} />
        </div>
        <ProgressBar counts={counts} label="Progress" />
        <div className="mt-3">
          <CountsLegend counts={counts} />
        </div>
        <FailureGroups status={status} />
        {!status.complete && (
          <Suspense fallback={null}>
            <StageList status={status} />
          </Suspense>
        )}
        <Facts status={status} workers={workers.length} />
      </Card>
    </>
  );
}

function Remaining({ status }: { status: WorkflowStatus }) {
  const now = useNow();
  const left = workflowState(status) === 'running' ? remainingMs(status, now, null) : null;
  return left === null ? null : <>, about {formatDuration(left)} left</>;
}

function Facts({ status, workers }: { status: WorkflowStatus; workers: number }) {
  const { workflow, started_at_ms: started, finished_at_ms: finished } = status;
  const { user, project, run_id, description, paused } = workflow;
  const hasOwners = useHasOwners();
  const facts: [string, ReactNode][] = [
    ['Workflow', `#${workflow.id}, run ${run_id}`],
    ...(hasOwners ? ownerFacts(workflow) : []),
    ...(user === null || (hasOwners && user === workflow.owner)
      ? []
      : [['User', visibleText(user)] as [string, string]]),
    ...(project === null ? [] : [['Project', visibleText(project)] as [string, string]]),
    ...(status.complete ? [] : ([['Workers', workers]] as [string, ReactNode][])),
    ['Started', started === null ? 'not yet' : <TimeText key="started" at={started} />],
    ...(finished === null || started === null
      ? []
      : [
          [
            'Took',
            <span key="took" title={fullTime(finished)}>
              {formatDuration(finished - started)}
            </span>,
          ] as [string, ReactNode],
        ]),
  ];
  return (
    <>
      {description !== null && <p className="mt-3 text-sm wrap-anywhere">{visibleText(description)}</p>}
      {paused !== null && (
        <p className="mt-3 text-sm wrap-anywhere">
          {paused.stopping ? 'Stopped' : 'Paused'} by {visibleText(paused.actor)}{' '}
          <TimeText at={paused.at_ms} />
          {paused.reason !== null && `: ${visibleText(paused.reason)}`}
        </p>
      )}
      <dl className="mt-3 flex flex-wrap gap-x-6 gap-y-1 border-t border-line pt-3 text-sm">
        {facts.map(([name, value]) => (
          <div key={name} className="flex gap-1.5">
            <dt className="text-quiet">{name}</dt>
            <dd className="wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
