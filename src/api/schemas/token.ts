import { z } from 'zod';
import type { AuditRecord } from '../../core/records.ts';
import { type CreatedToken, type NewToken, ROLES, type TokenRecord } from '../../core/token.ts';
import { schemaFor } from '../schema-for.ts';
import { amount, id, millis } from './scalars.ts';

export const role = z.enum(ROLES);

export const newToken = schemaFor<Omit<NewToken, 'actor'>>()(
  z
    .strictObject({
      name: z
        .string()
        .regex(/^[\w.@-]{1,64}$/, 'must be at most 64 letters, digits and . _ @ -')
        .describe('Who it is for; the actor of every change made with it.'),
      role,
      expires_at_ms: amount.nullable().describe('null: until it is revoked.'),
    })
    .meta({ id: 'NewToken' }),
);

const fields = {
  id,
  name: z.string(),
  role,
  created_at_ms: millis,
  expires_at_ms: millis.nullable(),
  revoked_at_ms: millis.nullable(),
};

export const tokenRecord = schemaFor<TokenRecord>()(z.object(fields).meta({ id: 'Token' }));

export const createdToken = schemaFor<CreatedToken>()(
  z
    .object({ ...fields, secret: z.string().describe('Told this once; only its hash is stored.') })
    .meta({ id: 'CreatedToken' }),
);

export const auditRecord = schemaFor<AuditRecord>()(
  z
    .object({ id, at_ms: millis, actor: z.string(), action: z.string(), subject: z.string() })
    .meta({ id: 'Audit' }),
);
