import { randomBytes } from 'node:crypto';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { type LineTarget, logOptions } from './mask/log-lines.ts';
import { errorAnswer } from './requests/error-answer.ts';
import { UnreadBody } from './requests/read-request.ts';

export interface FastifyFacts {
  log?: LineTarget | undefined;
  logLevel?: string | undefined;
  trustProxy?: string[] | boolean | undefined;
  bodyLimit: number;
  headersTimeoutMs?: number | undefined;
}

/** How long the head of a request may take to arrive, also on a connection that was opened and says nothing. */
const HEADERS_TIMEOUT_MS = 10_000;
/** How often that is looked at, at the least. */
const LOOK_MS = 1_000;
/** How long a request may take to arrive. */
const REQUEST_TIMEOUT_MS = 60_000;
/** A name of 1,000 characters, each written as up to three bytes in percent. */
const LONGEST_PARAMETER = 9_100;

/** What cannot even be parsed, and is not just wrong. */
const UNREADABLE: Record<string, string> = {
  HPE_INVALID_METHOD: '405 Method Not Allowed\r\nAllow: GET, POST, PUT, DELETE',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Fastify with every limit set, which answers whatever goes wrong in one shape. */
export function newFastify(facts: FastifyFacts): FastifyInstance {
  const { log, logLevel, trustProxy, bodyLimit, headersTimeoutMs = HEADERS_TIMEOUT_MS } = facts;
  const answer = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const { status, body, unexpected } = errorAnswer(error, request);
    if (unexpected) request.log.error({ err: error }, 'unexpected');
    else if (status >= 500 && body.error.code !== 'SHUTTING_DOWN') {
      request.log.warn({ code: body.error.code, problem: body.error.message }, 'cannot answer');
    }
    void reply
      .code(status)
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify(body));
  };
  const era = randomBytes(4).toString('hex');
  let requests = 0;
  const app = Fastify({
    logger: log === undefined ? false : logOptions(log, logLevel ?? 'info'),
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustProxy ?? false,
    bodyLimit,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: Math.min(LOOK_MS, headersTimeoutMs),
    },
    // Requests that come while it closes are answered by the hook, in the same shape as everything else.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    genReqId: () => {
      requests += 1;
      return `${era}-${requests}`;
    },
    frameworkErrors: (error, request, reply) => answer(error, request, reply as FastifyReply),
    clientErrorHandler: ({ code }, socket) => {
      if (!socket.writable) return;
      const status = UNREADABLE[code] ?? '400 Bad Request';
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    },
  }) as FastifyInstance;
  readJson(app);
  app.setErrorHandler((error, request, reply) => answer(error, request, reply));
  return app;
}

/** JSON is the only thing that is read. Keys that would reach into prototypes are refused. */
function readJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'ignore');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (request.routeOptions.config.unread) done(null, new UnreadBody(body as string));
    else if (body === '') done(null, undefined);
    else parse(request, body as string, done);
  });
}
