import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useState } from 'react';
import { visibleText } from '../../src/views/visible-text.ts';
import { call } from '../api/call.ts';
import { useKeys } from '../app/keys.ts';
import { lazyPart } from '../app/lazy-part.tsx';
import { setQuery, usePlace } from '../app/router.ts';
import { Choice } from '../parts/choice.tsx';
import { Crumbs } from '../parts/crumbs.tsx';
import { focusSearch } from '../parts/field.tsx';
import { Problem } from '../parts/notice.tsx';
import { Loading } from '../parts/section.tsx';
import { useTitle } from '../parts/use-title.ts';
import { EventList } from './event-list.tsx';
import { JobList } from './job-list.tsx';
import { WorkflowHead } from './workflow-head.tsx';

const TABS = {
  jobs: 'Jobs',
  graph: 'Graph',
  timeline: 'Timeline',
  grid: 'Grid',
  routes: 'Routes',
  events: 'Events',
  update: 'Update',
};

const TimelineView = lazyPart(async () => (await import('./timeline/timeline-view.tsx')).TimelineView);
const GridView = lazyPart(async () => (await import('./timeline/grid-view.tsx')).GridView);
const RoutesView = lazyPart(async () => (await import('./routes/routes-view.tsx')).RoutesView);
const UpdateView = lazyPart(async () => (await import('../spec/update-view.tsx')).UpdateView);
const GraphView = lazyPart(async () => (await import('./graph/graph-view.tsx')).GraphView);

export function WorkflowPage({ workflow }: { workflow: number }) {
  const { query } = usePlace();
  const status = useQuery({ queryKey: ['status', workflow], queryFn: () => call('status', workflow) });
  const name = status.data?.workflow.name ?? `Workflow ${workflow}`;
  const { update: _, ...looks } = TABS;
  // Those who may not change anything see no tab for it.
  const tabs: Partial<typeof TABS> = status.data?.workflow.may_change === true ? TABS : looks;
  const asked = query.get('tab') ?? '';
  const tab = asked in tabs ? (asked as keyof typeof TABS) : 'jobs';
  // What is chosen in the table stays chosen while the events are looked at.
  const [chosen, setChosen] = useState<ReadonlyMap<number, string>>(new Map());
  useTitle(name);
  useKeys({ '/': focusSearch });
  const views: Record<keyof typeof TABS, () => ReactNode> = {
    jobs: () => (
      <JobList
        status={status.data!}
        name={query.get('name') ?? ''}
        statuses={query.get('status') ?? ''}
        chosen={chosen}
        onChoose={setChosen}
      />
    ),
    graph: () => <GraphView workflow={workflow} />,
    timeline: () => <TimelineView status={status.data!} />,
    grid: () => <GridView status={status.data!} />,
    routes: () => <RoutesView workflow={workflow} />,
    events: () => <EventList workflow={workflow} />,
    update: () => <UpdateView workflow={workflow} />,
  };
  return (
    <div className="flex flex-col gap-5">
      <Crumbs trail={[]} here={visibleText(name)} />
      {status.error !== null && <Problem error={status.error} />}
      {status.isPending && <Loading />}
      {status.data && (
        <>
          <WorkflowHead status={status.data} />
          <div className="flex">
            <Choice
              label="What to show"
              options={tabs}
              value={tab}
              onChange={(value) => setQuery({ tab: value === 'jobs' ? '' : value })}
            />
          </div>
          <Suspense fallback={<Loading />}>{views[tab]()}</Suspense>
        </>
      )}
    </div>
  );
}
