import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServedEngine } from '../core/engine.ts';
import type { MoreRoutes } from '../server/create-server.ts';
import { RecordMask } from '../server/mask-records.ts';
import { createServer } from './create-server.ts';
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
 * The tools for agents over HTTP. Each request stands by itself; what a token has used up of its limits is remembered
 * here. Who may only look gets the tools that only look.
 */
export function mcpRoutes(facts: McpRouteFacts): MoreRoutes {
  const sessions = new Sessions(facts);
  return {
    paths: {
      [PATH]: { post: DESCRIPTION('mcp'), get: DESCRIPTION('mcpGet'), delete: DESCRIPTION('mcpDelete') },
    },
    register: (app: FastifyInstance) => {
      const handler = createMcpHandler(
        ({ authInfo }) => createServer(sessions.of(authInfo?.extra?.caller as Caller), facts.version),
        // It quotes the request, so that it belongs in the log, where lines are lines and tokens are not shown.
        { onerror: ({ message }) => app.log.warn({ problem: message }, 'mcp') },
      );
      app.route({
        method: ['POST', 'GET', 'DELETE'],
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

/** Without the headers that tell who asks. */
function webRequest({ method, headers, url }: FastifyRequest): Request {
  const kept = Object.entries(headers).filter(
    ([name, value]) => typeof value === 'string' && name !== 'authorization' && name !== 'cookie',
  ) as [string, string][];
  return new Request(new URL(url, 'http://holdfast'), { method, headers: kept });
}

class Sessions {
  private readonly facts: McpRouteFacts;
  private readonly mask: RecordMask;
  private readonly known = new Map<string, { session: Session; until: number }>();

  constructor(facts: McpRouteFacts) {
    this.facts = facts;
    this.mask = new RecordMask(facts.engine);
  }

  of({ name, role, auth }: Caller): Session {
    const now = (this.facts.clock ?? Date.now)();
    const key = `${role} ${name}`;
    const known = this.known.get(key);
    if (known !== undefined && known.until > now) return known.session;
    const { engine, place, environment, maxDecisions, minConfidence } = this.facts;
    const session = new Session({
      engine,
      place,
      environment,
      secretsOf: (workflowId) => this.secretsOf(workflowId),
      limits: {
        workflowId: null,
        readOnly: role === 'viewer',
        allowed: new Set(),
        maxDecisions,
        minConfidence,
        agentName: auth === 'token' ? name : 'mcp',
      },
    });
    for (const [old, { until }] of this.known) if (until <= now) this.known.delete(old);
    this.known.set(key, { session, until: now + DAY_MS });
    return session;
  }

  private async secretsOf(workflowId: number): Promise<Record<string, string>> {
    const { texts } = await this.mask.secretsOf(workflowId);
    return Object.fromEntries(texts.map((text, index) => [`SECRET_${index}`, text]));
  }
}

const DESCRIPTION = (operationId: string) => ({
  operationId,
  tags: ['Agents'],
  summary: 'The Model Context Protocol, as streamable HTTP: tools for agents.',
  description: 'Needs the role viewer; tools that decide need operator.',
  responses: { 200: { description: 'As the protocol has it.' } },
});
