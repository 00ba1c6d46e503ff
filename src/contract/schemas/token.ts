import { z } from 'zod';
import { ROLES } from '../roles.ts';
import { amount, id, millis } from './scalars.ts';

export const role = z.enum(ROLES);

export const newToken = z
  .strictObject({
    name: z
      .string()
      .regex(/^[\w.@-]{1,64}$/, 'must be at most 64 letters, digits and . _ @ -')
      .describe('Who it is for; the actor of every change made with it.'),
    role,
    expires_at_ms: amount.nullable().describe('null: until it is revoked.'),
  })
  .meta({ id: 'NewToken' });

const fields = {
  id,
  name: z.string(),
  role,
  created_at_ms: millis,
  expires_at_ms: millis.nullable(),
  revoked_at_ms: millis.nullable(),
};

export const tokenRecord = z.object(fields).meta({ id: 'Token' });

/** The secret is returned only here; the store has its hash. */
export const createdToken = z
  .object({
    ...fields,
    secret: z.string().describe('Shown only in this response; the server stores its hash.'),
  })
  .meta({ id: 'CreatedToken' });

/** A change that belongs to no workflow: of tokens and workers. */
export const auditSchema = z
  .object({
    id,
    at_ms: millis,
    actor: z.string(),
    action: z.string(),
    subject: z.string(),
    data: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'Audit' });
