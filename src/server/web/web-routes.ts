import type { FastifyReply, FastifyRequest } from 'fastify';
import { PAGE_PATHS } from '../../contract/pages/page-paths.ts';
import type { MoreRoutes } from '../create-server.ts';
import { type WebFile, WebFiles } from './web-files.ts';

/** Scripts, styles and requests of this server alone; nothing inline, nothing evaluated, in no frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The address of one worker, which `web/workflow/graph/use-layout.ts` has as a constant.
  'trusted-types holdfast-layout',
].join('; ');

/** A name of an asset has a hash of what is in it. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * The web application. It needs no token: what it shows it asks the API for, as any other client. The description of the
 * API does not have its paths.
 */
export function webRoutes(files = WebFiles.open()): MoreRoutes {
  return {
    paths: {},
    register: (app) => {
      if (files === null) return;
      for (const path of Object.values(PAGE_PATHS)) {
        app.route({
          method: 'GET',
          url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
          config: { role: null, endpoint: 'page' },
          handler: (request, reply) => send(files.index(), 'no-cache', request, reply),
        });
      }
      app.route({
        method: 'GET',
        url: '/assets/:file',
        config: { role: null, endpoint: 'asset' },
        handler: (request, reply) =>
          send(files.asset((request.params as { file: string }).file), FOR_EVER, request, reply),
      });
    },
  };
}

function send(file: WebFile, caching: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  void reply.headers({
    'content-type': file.type,
    'content-security-policy': POLICY,
    'cache-control': caching,
    etag: file.etag,
    vary: 'accept-encoding',
  });
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  const isCompressed = file.gzip !== null && /\bgzip\b/.test(String(request.headers['accept-encoding']));
  if (!isCompressed) return reply.send(file.plain);
  return reply.header('content-encoding', 'gzip').send(file.gzip);
}
