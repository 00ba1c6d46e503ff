import { Suspense } from 'react';
import type { WorkflowRecord, WorkflowStatus } from '../../src/contract/records/records.ts';
import { formatDuration } from '../../src/core/text/quantity.ts';
import { remainingMs } from '../../src/views/remaining-time.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { endedCount, jobCount, workflowState } from '../../src/views/workflow-state.ts';
import { lazyPart } from '../app/lazy-part.tsx';
import { Link } from '../app/link.tsx';
import { ownerFacts, useHasOwners } from '../app/owner.ts';
import { pageUrl } from '../app/router.ts';
import { buttonStyle } from '../parts/button.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { Notice } from '../parts/notice.tsx';
import { CountsLegend, ProgressBar } from '../parts/progress.tsx';
import { Card } from '../parts/section.tsx';
import { StatusMark } from '../parts/status-icon.tsx';
import { TimeText } from '../parts/time-text.tsx';
import { fullTime, useNow } from '../parts/times.ts';
import { counted } from '../parts/words.ts';
import { FailureGroups } from './failure-groups.tsx';
import { WorkflowActions } from './workflow-actions.tsx';
import { workflowTone } from './workflow-tone.ts';

/** Loaded after the jobs are asked for: groups of many jobs take a server a while. */
const StageList = lazyPart(async () => (await import('./stage-list.tsx')).StageList);

/** How the workflow stands, how far it is, and what can be done with it as a whole. */
export function WorkflowHead({ status }: { status: WorkflowStatus }) {
  const { workflow, counts } = status;
  const state = workflowState(status);
  const total = jobCount(counts);
  const waiting = counts.pending_failed;
  const facts = useFacts(status);
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
        <About workflow={workflow} />
        <FailureGroups status={status} />
        {!status.complete && (
          <Suspense fallback={null}>
            <StageList status={status} />
          </Suspense>
        )}
        <Facts facts={facts} />
      </Card>
    </>
  );
}

function Remaining({ status }: { status: WorkflowStatus }) {
  const now = useNow();
  const left = workflowState(status) === 'running' ? remainingMs(status, now, null) : null;
  return left === null ? null : <>, about {formatDuration(left)} left</>;
}

/** What the workflow is for, and why it stands still. */
function About({ workflow: { description, paused } }: { workflow: WorkflowRecord }) {
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
    </>
  );
}

function useFacts(status: WorkflowStatus): Fact[] {
  const { workflow, workers, started_at_ms: started, finished_at_ms: finished } = status;
  const { user, project, run_id } = workflow;
  const hasOwners = useHasOwners();
  return [
    ['Workflow', `#${workflow.id}, run ${run_id}`],
    ...(hasOwners ? ownerFacts(workflow) : []),
    ...(user === null || (hasOwners && user === workflow.owner)
      ? []
      : ([['User', visibleText(user)]] as Fact[])),
    ...(project === null ? [] : ([['Project', visibleText(project)]] as Fact[])),
    ...(status.complete ? [] : ([['Workers', workers.length]] as Fact[])),
    ['Started', started === null ? 'not yet' : <TimeText key="started" at={started} />],
    ...(finished === null || started === null
      ? []
      : ([
          [
            'Took',
            <span key="took" title={fullTime(finished)}>
              {formatDuration(finished - started)}
            </span>,
          ],
        ] as Fact[])),
  ];
}
