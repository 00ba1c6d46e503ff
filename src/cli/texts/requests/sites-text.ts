import type { BanRecord, SiteRecord } from '../../../contract/records/request.ts';
import { banScope } from '../../../views/requests/ban-text.ts';
import { visibleText } from '../../../views/visible-text.ts';
import { shortTime } from '../../terminal/local-time.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import type { Column } from '../../terminal/text-table.ts';
import type { View } from '../../terminal/view.ts';
import { listTable } from '../lists/list-table.ts';

export const sitesView: View<SiteRecord[]> = {
  json: (sites) => sites,
  table: (sites, style) => {
    const columns: Column<SiteRecord>[] = [
      { title: 'SITE', value: ({ name }) => name, shrink: 'middle' },
      { title: 'WORKERS', value: ({ workers }) => workers, align: 'right' },
      {
        title: 'FAILED',
        value: ({ attempts: { total, failed } }) => (total === 0 ? null : `${failed} of ${total}`),
        align: 'right',
      },
      {
        title: 'BANNED',
        value: ({ bans }) => bans.map((ban) => banText(ban, style)).join('; ') || null,
        style: ({ bans }) => (bans.length > 0 ? 'red' : undefined),
        shrink: 'end',
      },
    ];
    return listTable(columns, sites, style, 'no sites');
  },
  quiet: (sites) => sites.map(({ name }) => name),
};

export const banView: View<BanRecord> = {
  json: (ban) => ban,
  table: (ban, style) => [`site ${visibleText(ban.site)} is banned ${banText(ban, style)}`],
  quiet: ({ id }) => [id],
};

export const unbanView: View<{ site: string; removed: number }> = {
  json: ({ removed }) => ({ removed }),
  table: ({ site, removed }) => [
    removed === 0
      ? `site ${visibleText(site)} has no ban`
      : `${removed} ${removed === 1 ? 'ban' : 'bans'} of site ${visibleText(site)} removed`,
  ],
  quiet: ({ removed }) => [removed],
};

function banText(ban: BanRecord, { now }: TextStyle): string {
  const { reason, expires_at_ms } = ban;
  const until = expires_at_ms === null ? '' : ` until ${shortTime(expires_at_ms, now)}`;
  return `${banScope(ban)}${until}: ${reason}`;
}
