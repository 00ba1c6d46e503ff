import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { visibleText } from '../../src/views/visible-text.ts';
import { call } from '../api/call.ts';
import { useKeys } from '../app/keys.ts';
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

const TABS = { jobs: 'Jobs', events: 'Events' };

export function WorkflowPage({ workflow }: { workflow: number }) {
  const { query } = usePlace();
  const status = useQuery({ queryKey: ['status', workflow], queryFn: () => call('status', workflow) });
  const name = status.data?.workflow.name ?? `Workflow ${workflow}`;
  const tab = query.get('tab') === 'events' ? 'events' : 'jobs';
  // What is chosen in the table stays chosen while the events are looked at.
  const [chosen, setChosen] = useState<ReadonlyMap<number, string>>(new Map());
  useTitle(name);
  useKeys({ '/': focusSearch });
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
              options={TABS}
              value={tab}
              onChange={(value) => setQuery({ tab: value === 'jobs' ? '' : value })}
            />
          </div>
          {tab === 'jobs' ? (
            <JobList
              status={status.data}
              name={query.get('name') ?? ''}
              statuses={query.get('status') ?? ''}
              chosen={chosen}
              onChoose={setChosen}
            />
          ) : (
            <EventList workflow={workflow} />
          )}
        </>
      )}
    </div>
  );
}
