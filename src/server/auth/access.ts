import type { FastifyReply, FastifyRequest } from 'fastify';
import { mayDo, type NeededRole } from '../../contract/roles.ts';
import { HoldfastError } from '../../core/errors.ts';
import { ANYBODY, type Caller } from './caller.ts';
import type { HostCheck } from './check-host.ts';
import type { AuthMode } from './check-listen.ts';
import type { FailureLimit } from './failure-limit.ts';
import { tokenOfCookie } from './session-cookie.ts';
import type { Teams } from './teams.ts';
import type { TokenCache } from './token-cache.ts';

/** Decides who may do what. The only place where a request becomes a caller. */
export class Access {
  readonly auth: AuthMode;
  readonly tokens: TokenCache;
  readonly #hosts: HostCheck;
  readonly #failures: FailureLimit;
  readonly #teams: Teams;

  constructor(facts: {
    auth: AuthMode;
    tokens: TokenCache;
    hosts: HostCheck;
    failures: FailureLimit;
    teams: Teams;
  }) {
    this.auth = facts.auth;
    this.tokens = facts.tokens;
    this.#hosts = facts.hosts;
    this.#failures = facts.failures;
    this.#teams = facts.teams;
  }

  /** The caller, if the role is enough; null for what needs none. Refusals are errors. */
  async admit(
    request: FastifyRequest,
    reply: FastifyReply,
    needed: NeededRole | null,
  ): Promise<Caller | null> {
    const { method, headers } = request;
    const { bearer, cookie } = secretsOf(request);
    const byCookie = bearer === undefined && cookie !== undefined;
    this.#hosts.check({ method, host: headers.host, origin: headers.origin, byCookie });
    if (needed === null) return null;
    const caller = await this.identify(request, reply, bearer ?? cookie);
    if (!mayDo(caller.role, needed)) throw new HoldfastError('FORBIDDEN', { needed, role: caller.role });
    return caller;
  }

  /** A wrong token counts against the address, whether it is tried as a login or not. */
  async identify(request: FastifyRequest, reply: FastifyReply, secret: string | undefined): Promise<Caller> {
    if (this.auth === 'none') return ANYBODY;
    if (secret === undefined) {
      void reply.header('www-authenticate', 'Bearer');
      throw new HoldfastError('UNAUTHORIZED', { problem: 'this server requires a token' });
    }
    const token = await this.tokens.find(secret);
    if (token !== null) {
      const groups = this.#teams.groupsOf(token.name);
      return { name: token.name, role: token.role, groups, auth: 'token' };
    }
    const seconds = this.#failures.count(request.ip);
    if (seconds !== null) {
      void reply.header('retry-after', seconds);
      throw new HoldfastError('TOO_MANY_FAILURES', { seconds });
    }
    void reply.header('www-authenticate', 'Bearer error="invalid_token"');
    throw new HoldfastError('UNAUTHORIZED', { problem: 'there is no such token, or it is no longer valid' });
  }

  /** For answers that take long: whether the caller's token still is one. */
  async isStillValid(request: FastifyRequest): Promise<boolean> {
    if (this.auth === 'none') return true;
    const { bearer, cookie } = secretsOf(request);
    return (await this.tokens.find(bearer ?? cookie ?? '')) !== null;
  }
}

function secretsOf({ headers }: FastifyRequest): { bearer: string | undefined; cookie: string | undefined } {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  // Anything else in its place is a wrong token, not none.
  return { bearer: bearer ?? headers.authorization, cookie: tokenOfCookie(headers.cookie) };
}
