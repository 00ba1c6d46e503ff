import type { NewToken, TokenRecord } from '../../contract/records/token.ts';
import { HoldfastError } from '../../core/errors.ts';
import { hashOf } from '../../host/secret.ts';
import { appendAudit } from '../../store/rows/access/audit-rows.ts';
import {
  findLiveToken,
  findToken,
  insertToken,
  listTokens,
  revokeToken,
  type TokenRow,
} from '../../store/rows/access/token-rows.ts';
import type { Script } from '../../store/script.ts';

export function* storeToken(token: NewToken, secret: string, now: number): Script<TokenRecord> {
  const id = yield* insertToken(token, hashOf(secret), now);
  const subject = `token ${id} (${token.name}, ${token.role})`;
  yield* appendAudit({ at: now, actor: token.actor, action: 'token_created', subject });
  return tokenRecord((yield* findToken(id))!);
}

export function* authenticate(secret: string, now: number): Script<TokenRecord | null> {
  const row = yield* findLiveToken(hashOf(secret), now);
  return row === undefined ? null : tokenRecord(row);
}

export function* tokensOf(): Script<TokenRecord[]> {
  return (yield* listTokens()).map(tokenRecord);
}

export function* withdrawToken(id: number, actor: string, now: number): Script<TokenRecord> {
  const revoked = yield* revokeToken(id, now);
  const row = yield* findToken(id);
  if (row === undefined) throw new HoldfastError('TOKEN_NOT_FOUND', { id });
  const subject = `token ${id} (${row.name}, ${row.role})`;
  if (revoked) yield* appendAudit({ at: now, actor, action: 'token_revoked', subject });
  return tokenRecord(row);
}

function tokenRecord(row: TokenRow): TokenRecord {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    created_at_ms: row.created_at,
    expires_at_ms: row.expires_at,
    revoked_at_ms: row.revoked_at,
  };
}
