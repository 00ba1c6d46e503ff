import { useKeys } from '../app/keys.ts';
import { usePlace } from '../app/router.ts';
import { focusSearch } from '../parts/field.tsx';
import { useTitle } from '../parts/use-title.ts';
import { Attention } from './attention.tsx';
import { RequestList } from './request-list.tsx';
import { WorkflowList } from './workflow-list.tsx';

/** What needs a decision first, then everything else. */
export function HomePage() {
  const { query } = usePlace();
  useTitle('Overview');
  useKeys({ '/': focusSearch });
  return (
    <div className="flex flex-col gap-8">
      <h1 className="sr-only">Overview</h1>
      <Attention />
      <WorkflowList name={query.get('name') ?? ''} show={query.get('show') ?? ''} />
      <RequestList />
    </div>
  );
}
