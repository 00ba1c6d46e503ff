import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SiteRecord } from '../../src/contract/records/request.ts';
import { call } from '../api/call.ts';
import { setQuery, usePlace } from '../app/router.ts';
import { useMay } from '../app/session.ts';
import { Button } from '../parts/button.tsx';
import { Choice } from '../parts/choice.tsx';
import { DoneNote } from '../parts/done-note.tsx';
import { Problem } from '../parts/notice.tsx';
import { Empty, Loading } from '../parts/section.tsx';
import { useTitle } from '../parts/use-title.ts';
import { BanDialog } from './ban-dialog.tsx';
import { SiteCard } from './site-card.tsx';
import { UnbanDialog } from './unban-dialog.tsx';

const SHOWN = { '': 'All', banned: 'Banned' };

/** Which dialog is open: for a site, or for one that is not listed. */
type Asked = { kind: 'ban'; site: string | null } | { kind: 'unban'; site: SiteRecord };

/** Sites with their failures and bans. */
export function SitesPage() {
  const { query } = usePlace();
  const show = query.get('show') ?? '';
  const mayOperate = useMay('operator');
  const [asked, setAsked] = useState<Asked | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const sites = useQuery({ queryKey: ['sites', 'all'], queryFn: () => call('listSites') });
  useTitle('Sites');
  const all = sites.data?.items ?? [];
  const shown = show === 'banned' ? all.filter(({ bans }) => bans.length > 0) : all;
  const close = () => setAsked(null);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h1 className="text-xl font-semibold tracking-tight sm:text-2xl">Sites</h1>
        <div className="flex flex-wrap items-center gap-2">
          <Choice
            label="Which sites"
            options={SHOWN}
            value={show in SHOWN ? show : ''}
            onChange={(value) => setQuery({ show: value })}
          />
          {mayOperate && <Button onClick={() => setAsked({ kind: 'ban', site: null })}>Ban a site …</Button>}
        </div>
      </div>
      <DoneNote words={done} />
      {sites.error !== null && <Problem error={sites.error} />}
      {sites.isPending && <Loading />}
      {sites.isSuccess && shown.length === 0 && (
        <Empty>
          {all.length > 0
            ? 'No site is banned.'
            : 'No site yet: a site is where a worker runs, and appears with its first worker.'}
        </Empty>
      )}
      {shown.length > 0 && (
        <ul className="flex flex-col gap-3">
          {shown.map((site) => (
            <SiteCard
              key={site.name}
              site={site}
              onBan={mayOperate ? () => setAsked({ kind: 'ban', site: site.name }) : null}
              onUnban={mayOperate ? () => setAsked({ kind: 'unban', site }) : null}
            />
          ))}
        </ul>
      )}
      {asked?.kind === 'ban' && <BanDialog site={asked.site} onDone={setDone} onClose={close} />}
      {asked?.kind === 'unban' && <UnbanDialog site={asked.site} onDone={setDone} onClose={close} />}
    </div>
  );
}
