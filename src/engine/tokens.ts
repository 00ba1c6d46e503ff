import { createHash, randomBytes } from 'node:crypto';
import { HoldfastError } from '../core/errors.ts';
import type { NewToken, TokenRecord } from '../core/token.ts';
import { appendAudit } from '../store/audit-rows.ts';
import type { Script } from '../store/script.ts';
import {
  findLiveToken,
  findToken,
  insertToken,
  listTokens,
  revokeToken,
  type TokenRow,
} from '../store/token-rows.ts';

/** 256 random bits: there is nothing to guess, so that a plain hash is enough. */
export function newSecret(): string {
  return `hf_${randomBytes(32).toString('base64url')}`;
}

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

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
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
