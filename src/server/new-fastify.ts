import { randomBytes } from 'node:crypto';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { errorAnswer } from './error-answer.ts';
import { type LogTarget, logOptions } from './log-lines.ts';

export interface FastifyFacts {
  log?: LogTarget | undefined;
  logLevel?: string | undefined;
  trustProxy?: string[] | boolean | undefined;
  bodyLimit: number;
}

const MOST_CONNECTIONS = 10_000;
/** How long a request may take to arrive. */
const REQUEST_TIMEOUT_MS = 60_000;
/** A name of 1,000 characters, each written as up to three bytes in percent. */
const LONGEST_PARAMETER = 9_100;

/** Fastify with every limit set, which answers whatever goes wrong in one shape. */
export function newFastify({ log, logLevel, trustProxy, bodyLimit }: FastifyFacts): FastifyInstance {
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
    // Requests that come while it closes are answered by the hook, in the same shape as everything else.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    genReqId: () => {
      requests += 1;
      return `${era}-${requests}`;
    },
    frameworkErrors: (error, request, reply) => answer(error, request, reply as FastifyReply),
    clientErrorHandler: (_, socket) => {
      if (socket.writable)
        socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    },
  }) as FastifyInstance;
  app.server.maxConnections = MOST_CONNECTIONS;
  readJson(app);
  app.setErrorHandler((error, request, reply) => answer(error, request, reply));
  return app;
}

/** JSON is the only thing that is read. Keys that would reach into prototypes are refused. */
function readJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'ignore');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, body as string, done);
  });
}
