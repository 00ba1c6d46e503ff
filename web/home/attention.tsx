import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  endingBans,
  heldRequests,
  pausedSchedulers,
  pendingGroups,
  silentWorkers,
} from '../../src/views/home/attention.ts';
import { call } from '../api/call.ts';
import { Button } from '../parts/button.tsx';
import { Problem } from '../parts/notice.tsx';
import { Section } from '../parts/section.tsx';
import { StatusMark } from '../parts/status-icon.tsx';
import { useNow } from '../parts/times.ts';
import { BanLine, HeldRequest, PausedScheduler, SilentWorker } from './attention-lines.tsx';
import { PendingGroupLine } from './pending-group-line.tsx';

/** Of each kind: workflows, which are below, are not far away. */
const SHOWN = 3;

/** Everything that stays as it is until a decision, in one list. */
export function Attention() {
  const minute = useNow(60_000);
  const [isWhole, setWhole] = useState(false);
  const items = useQuery({ queryKey: ['attention'], queryFn: () => call('listAttention') });
  const held = useQuery({
    queryKey: ['requests', 'held'],
    queryFn: () => call('listRequests', { state: ['HELD'], limit: 100 }),
  });
  const sites = useQuery({ queryKey: ['sites'], queryFn: () => call('listSites', { banned: true }) });
  const queries = [items, held, sites];
  const failed = queries.find(({ error }) => error !== null);
  if (failed !== undefined) return <Problem error={failed.error} />;
  if (queries.some(({ isPending }) => isPending)) return null;

  const kinds = [
    pendingGroups(items.data!.items).map((group) => (
      <PendingGroupLine key={`f${group.fingerprint}`} group={group} />
    )),
    heldRequests(held.data!.items).map((request) => (
      <HeldRequest key={`r${request.request_name}@${request.version}`} request={request} />
    )),
    pausedSchedulers(items.data!.items).map((scheduler) => (
      <PausedScheduler key={`s${scheduler.workflow_id} ${scheduler.name}`} scheduler={scheduler} />
    )),
    silentWorkers(items.data!.items).map((worker) => <SilentWorker key={`w${worker.id}`} worker={worker} />),
    endingBans(sites.data!.items, minute).map((ban) => <BanLine key={`b${ban.id}`} ban={ban} />),
  ];
  const first = kinds.flatMap((lines) => lines.slice(0, SHOWN));
  const lines = kinds.flat();
  const rest = lines.length - first.length;
  if (lines.length === 0) {
    return (
      <div className="rounded-lg border border-line bg-card px-4 py-3">
        <StatusMark tone="good">
          <h2 className="inline font-medium text-text">Nothing needs a decision.</h2>
        </StatusMark>
      </div>
    );
  }
  return (
    <Section
      title={lines.length === 1 ? 'One thing needs a decision' : `${lines.length} things need a decision`}
    >
      <ul className="divide-y divide-line overflow-hidden rounded-lg border border-asks bg-card">
        {isWhole ? lines : first}
      </ul>
      {rest > 0 && (
        <div className="mt-3 text-center">
          <Button aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Show fewer' : `Show ${rest} more`}
          </Button>
        </div>
      )}
    </Section>
  );
}
