import type { FastifyRequest } from 'fastify';
import { ACTOR } from '../../contract/request-headers.ts';
import { RequestError } from '../requests/request-error.ts';
import type { Caller } from './caller.ts';

const AGENT = 'agent:';
const UNNAMED = 'api';

/**
 * Who a change is written down for. A token speaks for itself: what the request says besides cannot make it another
 * one, only an agent, which may do less.
 */
export function actorOf({ headers, body }: FastifyRequest, caller: Caller | null): string {
  const said = statedActor(headers[ACTOR]);
  if (caller === null || caller.auth === 'none') return said ?? UNNAMED;
  const isAgent = said?.startsWith(AGENT) === true || hasAgentLimits(body);
  return isAgent ? `${AGENT}${caller.name}` : caller.name;
}

function statedActor(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  try {
    const actor = decodeURIComponent(String(header));
    if (actor.length >= 1 && actor.length <= 200 && !/\p{Cc}/u.test(actor)) return actor;
  } catch {
    // It is refused all the same.
  }
  throw new RequestError([
    { path: `headers.${ACTOR}`, message: 'must be a percent-encoded name of at most 200 characters' },
  ]);
}

function hasAgentLimits(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'agent' in body;
}
