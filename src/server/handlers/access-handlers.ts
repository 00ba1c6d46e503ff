import type { FastifyRequest } from 'fastify';
import type { Engine } from '../../contract/engine.ts';
import type { Access } from '../auth/access.ts';
import { cookieRemoval, cookieWith } from '../auth/session-cookie.ts';
import type { Handlers } from './handler.ts';

export function accessHandlers(
  engine: Engine,
  access: Access,
): Handlers<'revokeToken' | 'whoAmI' | 'login' | 'logout'> {
  return {
    revokeToken: async ({ params, actor }) => {
      const revoked = await engine.revokeToken(params.token_id, { actor });
      // It stops working at once in this process, whatever was remembered of it.
      access.tokens.clear();
      return revoked;
    },
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
