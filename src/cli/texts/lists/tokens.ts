import type { TokenRecord } from '../../../contract/records/token.ts';
import { formatDuration } from '../../../core/text/quantity.ts';
import { shortTime } from '../../terminal/local-time.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import type { Column } from '../../terminal/text-table.ts';
import type { View } from '../../terminal/view.ts';
import { listTable } from './list-table.ts';

export const tokensView: View<TokenRecord[]> = {
  json: (tokens) => tokens,
  table: tokensTable,
  quiet: (tokens) => tokens.map(({ id }) => id),
};

function tokensTable(tokens: TokenRecord[], style: TextStyle): string[] {
  const columns: Column<TokenRecord>[] = [
    { title: 'ID', value: ({ id }) => id, align: 'right' },
    { title: 'NAME', value: ({ name }) => name, shrink: 'middle' },
    { title: 'ROLE', value: ({ role }) => role },
    {
      title: 'STATE',
      value: (token) => tokenState(token, style.now),
      style: (token) => (tokenState(token, style.now) === 'valid' ? 'green' : 'dim'),
    },
    { title: 'CREATED', value: ({ created_at_ms }) => shortTime(created_at_ms, style.now) },
    { title: 'EXPIRES', value: (token) => expiryText(token, style.now) },
  ];
  return listTable(columns, tokens, style, 'no tokens');
}

function tokenState({ expires_at_ms, revoked_at_ms }: TokenRecord, now: number): string {
  if (revoked_at_ms !== null) return 'revoked';
  return expires_at_ms !== null && expires_at_ms <= now ? 'expired' : 'valid';
}

export function expiryText({ expires_at_ms }: Pick<TokenRecord, 'expires_at_ms'>, now: number): string {
  if (expires_at_ms === null) return 'never';
  const left = expires_at_ms - now;
  return left <= 0 ? shortTime(expires_at_ms, now) : `in ${formatDuration(left)}`;
}
