import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { explainedRequest } from '../../src/views/requests/explained-request.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { call } from '../api/call.ts';
import { pageUrl } from '../app/router.ts';
import { Crumbs } from '../parts/crumbs.tsx';
import { DoneNote } from '../parts/done-note.tsx';
import { Problem } from '../parts/notice.tsx';
import { Loading } from '../parts/section.tsx';
import { useTitle } from '../parts/use-title.ts';
import { grouped } from '../parts/words.ts';
import { ErrorList } from './error-list.tsx';
import { HistoryList } from './history-list.tsx';
import { RequestHead } from './request-head.tsx';
import { RoundList } from './round-list.tsx';

/** As many entries as say why it is where it is. */
const NEWEST_HISTORY = 30;

/** Where a request stands and why, its rounds, its errors and its history. `name` may have a version. */
export function RequestPage({ name }: { name: string }) {
  const [done, setDone] = useState<string | null>(null);
  const shown = useQuery({
    queryKey: ['request', name],
    queryFn: async () => {
      const [request, history] = await Promise.all([
        call('getRequest', name),
        call('requestHistory', name, { limit: NEWEST_HISTORY }),
      ]);
      return { request, explained: explainedRequest(request, history.items, grouped) };
    },
  });
  useTitle(name);
  return (
    <div className="flex flex-col gap-6">
      <Crumbs trail={[{ to: pageUrl('requests'), text: 'Requests' }]} here={visibleText(name)} />
      <DoneNote words={done} />
      {shown.error !== null && <Problem error={shown.error} />}
      {shown.isPending && <Loading />}
      {shown.data && (
        <>
          <RequestHead {...shown.data} name={name} onDone={setDone} />
          <RoundList name={name} count={shown.data.request.round_count} />
          {shown.data.request.round_count > 0 && (
            <ErrorList name={name} newest={shown.data.request.round_count} />
          )}
          <HistoryList name={name} />
        </>
      )}
    </div>
  );
}
