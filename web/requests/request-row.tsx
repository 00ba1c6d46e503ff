import type { RequestSummary } from '../../src/contract/records/request.ts';
import { requestRef } from '../../src/views/requests/next-step.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { Link } from '../app/link.tsx';
import { ownerText, useHasOwners } from '../app/owner.ts';
import { pageUrl } from '../app/router.ts';
import { ShareBar } from '../parts/progress.tsx';
import { StatusMark } from '../parts/status-icon.tsx';
import { TimeText } from '../parts/time-text.tsx';
import { grouped } from '../parts/words.ts';
import { requestTone } from './request-tones.ts';

/** One request in a list. */
export function RequestRow({ request }: { request: RequestSummary }) {
  const { request_name, version, status, actor, delivered, total, work, created_at_ms, hold } = request;
  const hasOwners = useHasOwners();
  const text = `${grouped(delivered)} of ${grouped(total)} ${work === 'range' ? 'numbers' : 'items'} delivered`;
  return (
    <li className="relative grid gap-x-6 gap-y-2 px-4 py-3 hover:bg-raised/60 md:grid-cols-[minmax(0,1fr)_12rem_14rem]">
      <div className="min-w-0">
        <Link
          to={pageUrl('request', { request_name: requestRef(request) })}
          className="font-semibold wrap-anywhere after:absolute after:inset-0 hover:underline"
        >
          {visibleText(request_name)}
          {version > 1 && <span className="font-normal text-quiet"> version {version}</span>}
        </Link>
        <p className="truncate text-sm text-quiet">
          {visibleText(hasOwners ? ownerText(request) : actor)} · <TimeText at={created_at_ms} />
        </p>
        {hold !== null && <p className="text-sm wrap-anywhere">{visibleText(hold.text)}</p>}
      </div>
      <div className="self-center text-sm">
        <StatusMark tone={requestTone(status)}>{status.toLowerCase()}</StatusMark>
      </div>
      <div className="self-center">
        <ShareBar
          share={Number(total) === 0 ? 0 : Number(delivered) / Number(total)}
          label={`Progress of ${request_name}`}
          text={text}
        />
        <p className="mt-1 text-xs text-quiet">{text}</p>
      </div>
    </li>
  );
}
