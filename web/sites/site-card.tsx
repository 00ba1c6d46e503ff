import type { BanRecord, SiteRecord } from '../../src/contract/records/request.ts';
import { banScope, siteFailures } from '../../src/views/requests/ban-text.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { Link } from '../app/link.tsx';
import { pageUrl } from '../app/router.ts';
import { Button } from '../parts/button.tsx';
import { CountBar } from '../parts/count-bar.tsx';
import { capitalised } from '../parts/notice.tsx';
import { StatusMark } from '../parts/status-icon.tsx';
import { TimeText } from '../parts/time-text.tsx';
import { counted } from '../parts/words.ts';

/** A site: its workers, how much fails there, and why work avoids it. `null`: the caller may not. */
export function SiteCard({
  site,
  onBan,
  onUnban,
}: {
  site: SiteRecord;
  onBan: (() => void) | null;
  onUnban: (() => void) | null;
}) {
  const { name, workers, attempts, bans } = site;
  const shown = visibleText(name);
  const failures = siteFailures(site);
  return (
    <li className="rounded-lg border border-line bg-card px-4 py-3">
      <div className="grid gap-x-6 gap-y-2 md:grid-cols-[minmax(0,1fr)_20rem_11rem] md:items-center">
        <div className="min-w-0">
          <h2 className="font-semibold wrap-anywhere">{shown}</h2>
          <p className="flex flex-wrap gap-x-4 text-sm">
            <SiteState site={site} />
            <span className="text-quiet">{workers === 0 ? 'no worker' : counted(workers, 'worker')}</span>
          </p>
        </div>
        <div className="min-w-0">
          <CountBar
            label={`Attempts at ${shown}`}
            shares={[
              { tone: 'good', words: 'without a failure', count: attempts.total - attempts.failed },
              { tone: 'asks', words: 'failed otherwise', count: attempts.failed - attempts.infrastructure },
              { tone: 'bad', words: 'failed for reasons of the site', count: attempts.infrastructure },
            ]}
          />
          <p className="mt-1 text-xs text-quiet">
            {failures === null ? 'No attempt has ended here lately.' : `${capitalised(failures)}.`}
          </p>
        </div>
        <div className="flex flex-wrap justify-end gap-2">
          {onUnban !== null && bans.length > 0 && (
            <Button aria-label={`Unban ${shown}`} onClick={onUnban}>
              Unban …
            </Button>
          )}
          {onBan !== null && (
            <Button aria-label={`Ban ${shown}`} onClick={onBan}>
              Ban …
            </Button>
          )}
        </div>
      </div>
      {bans.length > 0 && (
        <ul
          className="mt-3 divide-y divide-line border-t border-line text-sm"
          aria-label={`Bans of ${shown}`}
        >
          {bans.map((ban) => (
            <Ban key={ban.id} ban={ban} />
          ))}
        </ul>
      )}
    </li>
  );
}

function SiteState({ site: { bans } }: { site: SiteRecord }) {
  if (bans.some(({ request_name }) => request_name === null)) {
    return <StatusMark tone="bad">banned for all work</StatusMark>;
  }
  if (bans.length === 0) return <StatusMark tone="good">open</StatusMark>;
  return <StatusMark tone="asks">banned for {counted(bans.length, 'request')}</StatusMark>;
}

/** A ban that the end of a round led to says what was counted; that of a person has a reason. */
function Ban({ ban }: { ban: BanRecord }) {
  const { request_name, reason, evidence, actor, created_at_ms, expires_at_ms } = ban;
  return (
    <li className="py-2 last:pb-0">
      <p className="wrap-anywhere">
        <span className="font-medium">
          {request_name === null ? (
            capitalised(banScope(ban))
          ) : (
            <>
              For{' '}
              <Link to={pageUrl('request', { request_name })} className="underline">
                {visibleText(request_name)}
              </Link>
            </>
          )}
        </span>
        . {evidence === null ? 'Reason' : 'Evidence'}: {visibleText(reason)}
      </p>
      <p className="text-quiet wrap-anywhere">
        by {visibleText(actor)} <TimeText at={created_at_ms} /> ·{' '}
        {expires_at_ms === null ? (
          'until it is removed'
        ) : (
          <>
            ends <TimeText at={expires_at_ms} />
          </>
        )}
      </p>
    </li>
  );
}
