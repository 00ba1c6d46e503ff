import type { FastifyRequest } from 'fastify';
import type { accessEndpoints } from '../../api/endpoints/access-endpoints.ts';
import type { Engine } from '../../core/engine.ts';
import type { Access } from '../auth/access.ts';
import { cookieRemoval, cookieWith } from '../auth/session-cookie.ts';
import type { Handlers } from './handler.ts';

export function accessHandlers(engine: Engine, access: Access): Handlers<keyof typeof accessEndpoints> {
  return {
    createToken: ({ body, actor }) => engine.createToken({ ...body, actor }),
    listTokens: () => engine.listTokens(),
    revokeToken: async ({ params, actor }) => {
      const revoked = await engine.revokeToken(params.token_id, actor);
      access.tokens.clear();
      return revoked;
    },
    listAudit: ({ query }) => engine.listAudit(query),
    whoAmI: ({ caller }) => caller!,
    login: async ({ body, request, reply }) => {
      await access.identify(request, reply, body.token);
      if (access.auth === 'token') void reply.header('set-cookie', cookieWith(body.token, isSecure(request)));
      return undefined;
    },
    logout: ({ request, reply }) => {
      void reply.header('set-cookie', cookieRemoval(isSecure(request)));
      return undefined;
    },
  };
}

/** Also where a proxy that is trusted says so. */
function isSecure(request: FastifyRequest): boolean {
  return request.protocol === 'https';
}
