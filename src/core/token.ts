export const ROLES = ['viewer', 'operator', 'admin'] as const;
/** Each may do what those before it may. A worker is an operator. */
export type Role = (typeof ROLES)[number];

export interface NewToken {
  name: string;
  role: Role;
  /** null: until it is revoked. */
  expires_at_ms: number | null;
  actor: string;
}

export interface TokenRecord {
  id: number;
  name: string;
  role: Role;
  created_at_ms: number;
  expires_at_ms: number | null;
  revoked_at_ms: number | null;
}

/** The secret is told this once; only its hash is stored. */
export interface CreatedToken extends TokenRecord {
  secret: string;
}
