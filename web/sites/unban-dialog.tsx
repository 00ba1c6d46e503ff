import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import type { SiteRecord } from '../../src/contract/records/request.ts';
import { banScope } from '../../src/views/requests/ban-text.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { call } from '../api/call.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { counted } from '../parts/words.ts';

/** Removes the bans of a site: all of them, or that of one request. */
export function UnbanDialog({
  site: { name, bans },
  onDone,
  onClose,
}: {
  site: SiteRecord;
  onDone: (words: string) => void;
  onClose: () => void;
}) {
  const [request, setRequest] = useState<string | null>(null);
  const named = [...new Set(bans.flatMap(({ request_name }) => request_name ?? []))];
  const records = useQueries({
    queries: named.map((each) => ({
      queryKey: ['request record', each],
      queryFn: () => call('getRequest', each),
    })),
  });
  // The bans for requests of others stay with them, unless all bans of the site are removed.
  const requests = named.filter((_, index) => records[index]!.data?.may_change === true);
  const removed = request === null ? bans : bans.filter(({ request_name }) => request_name === request);
  const options = [null, ...requests];
  return (
    <ConfirmDialog
      title={`Unban ${name}`}
      verb={`Remove ${counted(removed.length, 'ban')}`}
      reasonHint={null}
      act={() => call('unbanSite', name, request === null ? {} : { request })}
      onDone={(result) => onDone(`${counted(result.removed, 'ban')} of site ${name} removed.`)}
      onClose={onClose}
    >
      {bans.length > 1 && requests.length > 0 && (
        <fieldset className="flex flex-col gap-1 text-sm">
          <legend className="mb-1 font-medium">Which bans</legend>
          {options.map((option) => (
            <label key={option ?? ''} className="flex items-center gap-2">
              <input
                type="radio"
                name="bans"
                className="size-4 accent-(--accent)"
                checked={request === option}
                onChange={() => setRequest(option)}
              />
              {option === null ? 'All of them' : `Only the one for ${option}`}
            </label>
          ))}
        </fieldset>
      )}
      <div className="text-sm">
        <p>
          {removed.length === 1 ? 'This ban is' : 'These bans are'} removed; new work may run at{' '}
          {visibleText(name)} again:
        </p>
        <ul className="mt-1 list-disc pl-6">
          {removed.map((ban) => (
            <li key={ban.id}>{visibleText(`${banScope(ban)}: ${ban.reason}`)}</li>
          ))}
        </ul>
      </div>
    </ConfirmDialog>
  );
}
