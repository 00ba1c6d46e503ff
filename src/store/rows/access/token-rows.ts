import type { NewToken } from '../../../contract/records/token.ts';
import type { Role } from '../../../contract/roles.ts';
import { all, change, first, insert, type Script } from '../../script.ts';

export interface TokenRow {
  id: number;
  name: string;
  role: Role;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

const COLUMNS = 'id, name, role, created_at, expires_at, revoked_at';

export function* insertToken(token: NewToken, hash: string, now: number): Script<number> {
  return yield* insert(
    'insert into token (name, role, hash, created_at, expires_at) values (?, ?, ?, ?, ?)',
    token.name,
    token.role,
    hash,
    now,
    token.expires_at_ms,
  );
}

export function* findToken(id: number): Script<TokenRow | undefined> {
  return yield* first<TokenRow>(`select ${COLUMNS} from token where id = ?`, id);
}

/** The token if it can be used now. */
export function* findLiveToken(hash: string, now: number): Script<TokenRow | undefined> {
  return yield* first<TokenRow>(
    `select ${COLUMNS} from token
     where hash = ? and revoked_at is null and (expires_at is null or expires_at > ?)`,
    hash,
    now,
  );
}

export function* listTokens(): Script<TokenRow[]> {
  return yield* all<TokenRow>(`select ${COLUMNS} from token order by id`);
}

/** False if it was revoked before. */
export function* revokeToken(id: number, now: number): Script<boolean> {
  const changes = yield* change(
    'update token set revoked_at = ? where id = ? and revoked_at is null',
    now,
    id,
  );
  return changes === 1;
}
