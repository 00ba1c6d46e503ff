import { Suspense, useEffect } from 'react';
import { HomePage } from '../home/home-page.tsx';
import { JobPage } from '../job/job-page.tsx';
import { LoginPage } from '../login/login-page.tsx';
import { Button } from '../parts/button.tsx';
import { Notice } from '../parts/notice.tsx';
import { Loading } from '../parts/section.tsx';
import { RequestPage } from '../requests/request-page.tsx';
import { RequestsPage } from '../requests/requests-page.tsx';
import { SitesPage } from '../sites/sites-page.tsx';
import { TriagePage } from '../triage/triage-page.tsx';
import { WorkersPage } from '../workers/workers-page.tsx';
import { WorkflowPage } from '../workflow/workflow-page.tsx';
import { lazyPart } from './lazy-part.tsx';
import { Link } from './link.tsx';
import { followChanges } from './live.ts';
import { queryClient } from './queries.ts';
import { type Place, usePlace } from './router.ts';
import { loadSession, useSession } from './session.ts';
import { Shell } from './shell.tsx';

const NewPage = lazyPart(async () => (await import('../spec/new-page.tsx')).NewPage);

export function App() {
  const session = useSession();
  const place = usePlace();
  const isIn = session.state === 'in';
  useEffect(() => {
    if (!isIn) return;
    const leaving = new AbortController();
    void followChanges(leaving.signal);
    return () => {
      leaving.abort();
      // The next one who signs in may see less.
      queryClient.clear();
    };
  }, [isIn]);

  if (session.state === 'unknown') return null;
  if (session.state === 'login') return <LoginPage why={session.why} />;
  if (session.state === 'unreachable') {
    return (
      <main className="mx-auto max-w-md p-6 pt-24">
        <h1 className="mb-4 text-xl font-semibold">Holdfast</h1>
        <Notice kind="bad" title={`Cannot show anything: ${session.problem}.`} />
        <div className="mt-4">
          <Button onClick={() => void loadSession()}>Try again</Button>
        </div>
      </main>
    );
  }
  return (
    <Shell>
      <Page place={place} />
    </Shell>
  );
}

function Page({ place: { page, params } }: { place: Place }) {
  const workflow = Number(params.workflow_id);
  switch (page) {
    case 'home':
      return <HomePage />;
    case 'workflow':
      return <WorkflowPage key={workflow} workflow={workflow} />;
    case 'triage':
      return <TriagePage key={workflow} workflow={workflow} />;
    case 'job':
      return <JobPage key={params.job_id} workflow={workflow} job={Number(params.job_id)} />;
    case 'requests':
      return <RequestsPage />;
    case 'request':
      return <RequestPage key={params.request_name} name={params.request_name!} />;
    case 'sites':
      return <SitesPage />;
    case 'workers':
      return <WorkersPage />;
    case 'new':
      return (
        <Suspense fallback={<Loading />}>
          <NewPage />
        </Suspense>
      );
    case null:
      return (
        <Notice kind="plain" title="There is no such page.">
          <Link to="/" className="text-accent underline">
            To the overview
          </Link>
        </Notice>
      );
  }
}
