import type { RequestRecord, SiteRecord } from '../../contract/records/request.ts';
import { formatDuration } from '../../core/text/quantity.ts';
import { liveProgress, requestRemainingMs, roundText } from '../../views/request-progress.ts';
import { visibleText } from '../../views/visible-text.ts';
import { displayWidth, ellipsizeMiddle } from '../terminal/display-width.ts';
import { fitLine, lineText, type StyledLine } from '../terminal/styled-line.ts';
import { requestStyle } from '../texts/requests/request-style.ts';
import { barLine } from './bar-line.ts';

const SHORTEST_NAME = 8;

/** The top of the screen of a request: state, what was delivered, the open round, and its sites if there are several. */
export function requestHead(
  request: RequestRecord,
  sites: readonly SiteRecord[],
  columns: number,
  now: number,
): StyledLine[] {
  const round = roundText(request);
  const places = siteText(request, sites);
  return [
    firstLine(request, columns, now),
    deliveredLine(request, columns),
    ...(round === '' ? [] : [[{ text: round }]]),
    ...(places === null ? [] : [[{ text: places, style: 'dim' as const }]]),
  ].map((line) => fitLine(line, columns));
}

/** A long name is cut, so that what follows it can be seen. */
function firstLine(request: RequestRecord, columns: number, now: number): StyledLine {
  const { request_name, version, status } = request;
  const left = requestRemainingMs(request, now);
  const rest: StyledLine = [
    { text: `  ${status}`, style: requestStyle(status) },
    { text: left === null ? '' : `  about ${formatDuration(left)} left`, style: 'dim' },
  ];
  const room = Math.max(SHORTEST_NAME, columns - displayWidth(lineText(rest)));
  return [{ text: ellipsizeMiddle(visibleText(`${request_name}@${version}`), room), style: 'bold' }, ...rest];
}

function deliveredLine(request: RequestRecord, columns: number): StyledLine {
  const { delivered, total } = request;
  const { done, wanted } = liveProgress(request);
  const share = wanted <= 0 ? 1 : Math.min(1, done / wanted);
  // Never 100 % before the end.
  const percent = request.status === 'COMPLETED' ? 100 : Math.min(99, Math.floor(share * 100));
  const label = ` ${percent}%  ${delivered} of ${total} delivered`;
  return barLine({ good: share, ended: share }, label, columns);
}

/** `north 3 workers, south banned`; null with one site or none. */
function siteText(
  { request_name, version, sites: own }: RequestRecord,
  sites: readonly SiteRecord[],
): string | null {
  const label = `${request_name}@${version}`;
  const places = sites.filter(({ name, workers }) => (own === null ? workers > 0 : own.includes(name)));
  if (places.length < 2) return null;
  const texts = places.map(({ name, workers, bans }) => {
    const isBanned = bans.some((ban) => ban.request_name === null || ban.request_name === label);
    const many = `${workers} ${workers === 1 ? 'worker' : 'workers'}`;
    return `${visibleText(name)} ${isBanned ? 'banned' : many}`;
  });
  return `sites: ${texts.join(', ')}`;
}
