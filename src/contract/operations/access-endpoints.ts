import { z } from 'zod';
import { created, endpoint, json, NOTHING } from '../endpoint.ts';
import { operation } from '../operation.ts';
import { pageQuery } from '../parameters.ts';
import { page } from '../schemas/scalars.ts';
import { auditSchema, createdToken, newToken, role, tokenRecord } from '../schemas/token.ts';

const tag = 'Access';

export const accessEndpoints = {
  createToken: operation({
    method: 'POST',
    path: '/api/v1/tokens',
    role: 'admin',
    tag,
    summary: 'Creates a token. The secret is shown only in this response.',
    body: newToken,
    answer: created(createdToken),
  }),
  listTokens: operation({
    method: 'GET',
    path: '/api/v1/tokens',
    role: 'admin',
    tag,
    summary: 'Lists tokens, without their secrets.',
    answer: json(z.array(tokenRecord)),
  }),
  revokeToken: operation({
    method: 'DELETE',
    path: '/api/v1/tokens/{token_id}',
    repeatable: true,
    role: 'admin',
    tag,
    summary: 'Takes a token back; it stops working within seconds.',
    answer: json(tokenRecord),
  }),
  listAudit: operation({
    method: 'GET',
    path: '/api/v1/audit',
    role: 'admin',
    tag,
    summary: 'Lists changes that belong to no workflow, of tokens and workers, newest first.',
    query: z.strictObject(pageQuery),
    answer: json(page(auditSchema)),
  }),
  whoAmI: endpoint({
    method: 'GET',
    path: '/api/v1/whoami',
    role: 'any',
    tag,
    summary: 'Returns the name, the role and the groups of the caller.',
    answer: json(
      z
        .object({ name: z.string(), role, groups: z.array(z.string()), auth: z.enum(['none', 'token']) })
        .describe('`auth` is `none` on a server that needs no token.')
        .meta({ id: 'Caller' }),
    ),
  }),
  login: endpoint({
    method: 'POST',
    path: '/api/v1/login',
    role: null,
    tag,
    summary: 'Gives a browser a cookie for a token.',
    body: z.strictObject({ token: z.string().min(1).max(500) }).meta({ id: 'Login' }),
    answer: NOTHING,
  }),
  logout: endpoint({
    method: 'POST',
    path: '/api/v1/logout',
    role: null,
    tag,
    summary: 'Takes the cookie back.',
    answer: NOTHING,
  }),
};
