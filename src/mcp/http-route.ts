import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Engine } from '../core/engine.ts';
import type { MoreRoutes } from '../server/create-server.ts';
import { createServer } from './create-server.ts';
import { type NewWorkflowPlace, Session } from './session.ts';

export interface McpRouteFacts {
  engine: Engine;
  version: string;
  place: NewWorkflowPlace;
  /** Whose secrets are masked besides those of jobs. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Decisions that agents with one token may make in a day. */
  maxDecisions: number;
  minConfidence: number;
  onProblem: (problem: string) => void;
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
  const handler = createMcpHandler(
    ({ authInfo }) => createServer(sessions.of(authInfo?.extra?.caller as Caller), facts.version),
    { onerror: ({ message }) => facts.onProblem(message) },
  );
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
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
  };
  return {
    paths: {
      [PATH]: { post: DESCRIPTION('mcp'), get: DESCRIPTION('mcpGet'), delete: DESCRIPTION('mcpDelete') },
    },
    register: (app: FastifyInstance) => {
      app.route({
        method: ['POST', 'GET', 'DELETE'],
        url: PATH,
        config: { role: 'viewer' },
        handler: answer,
      });
      app.addHook('onClose', () => handler.close());
    },
  };
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
  private readonly known = new Map<string, { session: Session; until: number }>();

  constructor(facts: McpRouteFacts) {
    this.facts = facts;
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
}

const DESCRIPTION = (operationId: string) => ({
  operationId,
  tags: ['Agents'],
  summary: 'The Model Context Protocol, as streamable HTTP: tools for agents.',
  description: 'Needs the role viewer; tools that decide need operator.',
  responses: { 200: { description: 'As the protocol has it.' } },
});
