import { z } from 'zod';
import { created, endpoint, json, NOTHING } from '../endpoint.ts';
import { idParameter, NO_PARAMETERS, pageQuery } from '../parameters.ts';
import { page } from '../schemas/scalars.ts';
import { auditRecord, createdToken, newToken, role, tokenRecord } from '../schemas/token.ts';

const tag = 'Access';

export const accessEndpoints = {
  createToken: endpoint({
    method: 'POST',
    path: '/api/v1/tokens',
    role: 'admin',
    tag,
    summary: 'Makes a token; its secret is told this once.',
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    body: newToken,
    answer: created(createdToken),
  }),
  listTokens: endpoint({
    method: 'GET',
    path: '/api/v1/tokens',
    role: 'admin',
    tag,
    summary: 'Lists tokens, without their secrets.',
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    body: null,
    answer: json(z.array(tokenRecord)),
  }),
  revokeToken: endpoint({
    method: 'DELETE',
    path: '/api/v1/tokens/{token_id}',
    role: 'admin',
    tag,
    summary: 'Takes a token back; it stops working within seconds.',
    params: z.strictObject({ token_id: idParameter }),
    query: NO_PARAMETERS,
    body: null,
    answer: json(tokenRecord),
  }),
  listAudit: endpoint({
    method: 'GET',
    path: '/api/v1/audit',
    role: 'admin',
    tag,
    summary: 'Lists changes that belong to no workflow, of tokens and workers, newest first.',
    params: NO_PARAMETERS,
    query: z.strictObject(pageQuery),
    body: null,
    answer: json(page(auditRecord)),
  }),
  whoAmI: endpoint({
    method: 'GET',
    path: '/api/v1/whoami',
    role: 'viewer',
    tag,
    summary: 'Tells whom the server takes the caller for.',
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    body: null,
    answer: json(
      z
        .object({ name: z.string(), role, auth: z.enum(['none', 'token']) })
        .describe('`auth` is `none` on a server that asks nobody for a token.')
        .meta({ id: 'Caller' }),
    ),
  }),
  login: endpoint({
    method: 'POST',
    path: '/api/v1/login',
    role: null,
    tag,
    summary: 'Gives a browser a cookie for a token.',
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    body: z.strictObject({ token: z.string().min(1).max(500) }).meta({ id: 'Login' }),
    answer: NOTHING,
  }),
  logout: endpoint({
    method: 'POST',
    path: '/api/v1/logout',
    role: null,
    tag,
    summary: 'Takes the cookie back.',
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    body: null,
    answer: NOTHING,
  }),
};
