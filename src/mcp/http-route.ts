import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServedEngine } from '../contract/engine.ts';
import { Teams } from '../server/auth/teams.ts';
import type { MoreRoutes } from '../server/create-server.ts';
import { RecordMask } from '../server/mask/mask-records.ts';
import { createMcpServer } from './create-server.ts';
import { type NewWorkflowPlace, Session } from './session.ts';

export interface McpRouteFacts {
  engine: ServedEngine;
  version: string;
  place: NewWorkflowPlace;
  /** Whose secrets are masked besides those of jobs. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Decisions that agents with one token may make in a day. */
  maxDecisions: number;
  minConfidence: number;
  clock?: () => number;
}

const DAY_MS = 24 * 3600 * 1000;
const PATH = '/mcp';

type Caller = NonNullable<FastifyRequest['caller']>;

/**
 * The tools for agents over HTTP. Each request stands by itself; what a token has used up of its limits is counted in
 * the database, for all servers. A viewer gets the tools that read.
 */
export function mcpRoutes(facts: McpRouteFacts): MoreRoutes {
  const sessions = new Sessions(facts);
  return {
    paths: {
      [PATH]: { post: DESCRIPTION },
    },
    register: (app: FastifyInstance) => {
      const handler = createMcpHandler(
        ({ authInfo }) => createMcpServer(sessions.of(authInfo?.extra?.caller as Caller), facts.version),
        // It quotes the request, so that it belongs in the log, where lines are lines and tokens are not shown.
        { onerror: ({ message }) => app.log.warn({ problem: message }, 'mcp') },
      );
      app.route({
        // GET and DELETE are for servers with sessions.
        method: 'POST',
        url: PATH,
        config: { role: 'viewer' },
        handler: (request, reply) => answer(handler, request, reply),
      });
      app.addHook('onClose', () => handler.close());
    },
  };
}

async function answer(
  handler: ReturnType<typeof createMcpHandler>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // The handler is given who asks, not the secret by which they were known.
  const authInfo = {
    token: '',
    clientId: request.caller!.name,
    scopes: [],
    extra: { caller: request.caller },
  };
  const response = await handler.fetch(webRequest(request), { authInfo, parsedBody: request.body });
  void reply.code(response.status);
  for (const [name, value] of response.headers) void reply.header(name, value);
  return reply.send(response.body === null ? null : Readable.fromWeb(response.body as ReadableStream));
}

/** What a client of the protocol accepts; so does one that accepts anything. */
const BOTH_FORMS = 'application/json, text/event-stream';

/** Without the headers that say who asks. */
function webRequest({ method, headers, url }: FastifyRequest): Request {
  const { accept = '*/*' } = headers;
  const kept = Object.entries(headers).filter(
    ([name, value]) => typeof value === 'string' && name !== 'authorization' && name !== 'cookie',
  ) as [string, string][];
  if (accept.includes('*/*')) kept.push(['accept', BOTH_FORMS]);
  return new Request(new URL(url, 'http://holdfast'), { method, headers: kept });
}

class Sessions {
  readonly #facts: McpRouteFacts;
  readonly #mask: RecordMask;
  readonly #teams: Teams;
  readonly #known = new Map<string, { session: Session; until: number }>();

  constructor(facts: McpRouteFacts) {
    this.#facts = facts;
    this.#mask = new RecordMask(facts.engine);
    this.#teams = new Teams(facts.engine);
  }

  of(caller: Caller): Session {
    const { name, role, auth } = caller;
    const now = (this.#facts.clock ?? Date.now)();
    const key = `${role} ${name}`;
    const known = this.#known.get(key);
    if (known !== undefined && known.until > now) return known.session;
    const { engine, place, environment, maxDecisions, minConfidence } = this.#facts;
    const session = new Session({
      engine: this.#teams.engineFor(caller),
      place,
      environment,
      secretsOf: (workflowId) => this.#secretsOf(workflowId),
      decisionsMade: (actor) => engine.countDecisions(actor),
      limits: {
        workflowId: null,
        readOnly: role === 'viewer' ? 'role' : null,
        allowed: new Set(),
        maxDecisions,
        minConfidence,
        agentName: auth === 'token' ? name : 'mcp',
      },
    });
    for (const [old, { until }] of this.#known) if (until <= now) this.#known.delete(old);
    this.#known.set(key, { session, until: now + DAY_MS });
    return session;
  }

  async #secretsOf(workflowId: number): Promise<Record<string, string>> {
    const { texts } = await this.#mask.secretsOf(workflowId);
    return Object.fromEntries(texts.map((text, index) => [`SECRET_${index}`, text]));
  }
}

const MESSAGE = {
  type: 'object',
  required: ['jsonrpc', 'method'],
  properties: {
    jsonrpc: { const: '2.0' },
    id: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    method: { type: 'string' },
    params: { type: 'object' },
  },
};
const ANSWER = { type: 'object', required: ['jsonrpc'], properties: { jsonrpc: { const: '2.0' } } };
/** Refused by the server, or by the protocol. */
const REFUSAL = { anyOf: [{ $ref: '#/components/schemas/Error' }, ANSWER] };

const REFUSALS: Record<string, string> = {
  400: 'The message cannot be read, or is not one of the protocol.',
  401: 'There is no token, or it is not valid.',
  403: 'The token does not have the role, or the request comes from a page of another site.',
  404: 'The protocol has no such method.',
  406: 'The header `Accept` must have `application/json` and `text/event-stream`, or `*/*`.',
  413: 'The message is too large.',
  415: 'The message must be JSON.',
  422: 'The message says something impossible.',
  429: 'Too many requests with a wrong token.',
  500: 'Something unexpected went wrong.',
  503: 'The server is shutting down, or its database does not answer.',
};

const DESCRIPTION = {
  operationId: 'mcp',
  tags: ['Agents'],
  summary: 'The Model Context Protocol, as streamable HTTP: tools for agents.',
  description: 'Needs the role viewer; tools that decide need operator.',
  requestBody: { required: true, content: { 'application/json': { schema: MESSAGE } } },
  responses: {
    200: {
      description: 'The answer to the message.',
      content: {
        'application/json': { schema: ANSWER },
        'text/event-stream': { schema: {} },
      },
    },
    202: { description: 'A message that has no answer was taken.' },
    ...Object.fromEntries(
      Object.entries(REFUSALS).map(([status, text]) => [
        status,
        { description: text, content: { 'application/json': { schema: REFUSAL } } },
      ]),
    ),
  },
};
