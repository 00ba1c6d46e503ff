import type { ColumnTypes } from './column-types.ts';

/** Tokens, and changes that belong to no workflow: of tokens, workers, requests and sites. */
export function accessTables({ id }: ColumnTypes): string[] {
  return [
    // The hash of a secret, never the secret.
    `create table token (
      id ${id},
      name text not null,
      role text not null check (role in ('viewer', 'worker', 'operator', 'admin')),
      hash text not null unique,
      created_at bigint not null,
      expires_at bigint,
      revoked_at bigint
    )`,
    `create table audit (
      id ${id},
      at bigint not null,
      actor text not null,
      action text not null,
      subject text not null,
      request_id bigint,
      -- In JSON.
      data text
    )`,
    'create index audit_of_request on audit (request_id, id) where request_id is not null',
  ];
}
