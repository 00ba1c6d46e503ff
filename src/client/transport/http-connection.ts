import { setMaxListeners } from 'node:events';
import type { AnswerOf, BodyOf, Endpoint, ParamsOf, QueryOf } from '../../contract/endpoint.ts';
import type { OutagePatience } from '../../contract/engine.ts';
import { ACTOR } from '../../contract/request-headers.ts';
import { type ErrorCode, HoldfastError } from '../../core/errors.ts';
import { Outage } from './outage.ts';
import { pause } from './pause.ts';
import { readAnswer } from './read-answer.ts';
import { refusal } from './refusal.ts';
import { type Parameters, requestUrl } from './request-url.ts';
import type { ServerAddress, Tokens } from './server-address.ts';
import { TimeLimit } from './time-limit.ts';

export interface Asked<E extends Endpoint> {
  params?: ParamsOf<E>;
  query?: QueryOf<E>;
  body?: BodyOf<E>;
  /** Who asks; counts on a server that needs no token. */
  actor?: string;
  headers?: Record<string, string>;
  /** How long a server that does not answer is tried again; (default: some seconds once it has answered). */
  patienceMs?: number;
  /** How long one answer may take. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** What is true of the server for all callers. */
interface Known {
  closing: AbortController;
  hasAnswered: boolean;
  outage: Outage;
  tokens: Tokens;
}

type Tried<T> = { value: T } | { error: HoldfastError; wasSent: boolean };

const TIMEOUT_MS = 30_000;
/** A server that has answered before is probably being restarted. */
const PATIENCE_MS = 20_000;
const FIRST_PATIENCE_MS = 300;
/** However long each of them took. */
const LEAST_REPEATS = 2;
const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 1_000;
const AWAY = new Set<ErrorCode>(['SERVER_UNREACHABLE', 'SHUTTING_DOWN']);
/** The server answers, but its database does not. */
const PASSING = new Set<ErrorCode>(['DATABASE_UNREACHABLE', 'STORE_FAILED']);
/** Errors of a connection that was never made: nothing can have been changed. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Asks one server, again where that is safe. Refusals are the HoldfastErrors that they were there. */
export class HttpConnection {
  readonly url: string;
  readonly #address: ServerAddress;
  readonly #known: Known;
  /** Each of them ends everything that is under way. */
  readonly signals: readonly AbortSignal[];

  constructor(
    address: ServerAddress,
    known: Known = {
      closing: new AbortController(),
      hasAnswered: false,
      outage: new Outage(),
      tokens: address,
    },
    signals: readonly AbortSignal[] = [],
  ) {
    this.url = address.url.replace(/\/+$/, '');
    this.#address = address;
    this.#known = known;
    this.signals = [known.closing.signal, ...signals];
    // Each request under way listens to it; any number of them is right.
    setMaxListeners(0, known.closing.signal);
  }

  /** The same connection for requests that end with the signal. */
  until(signal: AbortSignal): HttpConnection {
    const [, ...signals] = this.signals;
    return new HttpConnection(this.#address, this.#known, [...signals, signal]);
  }

  /** Gives what an endpoint answers in JSON; undefined if it answers with nothing. */
  call<E extends Endpoint>(endpoint: E, asked: Asked<E> = {}): Promise<AnswerOf<E>> {
    return this.ask(
      endpoint,
      asked,
      (response) => readAnswer(endpoint.answer, response) as Promise<AnswerOf<E>>,
    );
  }

  /** As `call`, with the answer read by the caller. */
  async ask<E extends Endpoint, T>(
    endpoint: E,
    asked: Asked<E>,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const isSafe = endpoint.method === 'GET' || endpoint.repeatable === true;
    const { outage } = this.#known;
    const begun = performance.now();
    let left = asked.patienceMs === 0 ? 0 : LEAST_REPEATS;
    for (let delay = FIRST_DELAY_MS; ; delay = Math.min(delay * 2, LONGEST_DELAY_MS)) {
      const tried = await this.#try(endpoint, asked, read);
      if ('value' in tried) {
        outage.answered();
        return tried.value;
      }
      const { error, wasSent } = tried;
      if (!AWAY.has(error.code)) outage.answered();
      if (error.code === 'UNAUTHORIZED' && this.#hasNewTokens()) continue;
      const mayRepeat =
        (AWAY.has(error.code) || (isSafe && outage.isWaitedOut && PASSING.has(error.code))) &&
        (isSafe || !wasSent) &&
        !this.isClosed &&
        asked.signal?.aborted !== true;
      // Checked each time: a caller that waits may stop waiting.
      const patience = asked.patienceMs ?? this.#patience(isSafe);
      if (mayRepeat && asked.patienceMs === undefined) outage.failed(error, performance.now() - begun);
      if (!mayRepeat || (left <= 0 && performance.now() + delay > begun + patience)) throw error;
      left -= 1;
      await pause(delay * (0.5 + Math.random() / 2), this.#signals(asked.signal));
    }
  }

  /** Reads wait for a server that does not answer, as long as a caller follows something on it. */
  waitOutOutages(patience: OutagePatience): () => void {
    return this.#known.outage.waitOut(patience);
  }

  /** Whether files have other tokens than those that were shown. */
  #hasNewTokens(): boolean {
    const { tokens } = this.#known;
    const found = this.#address.readTokensAgain?.() ?? tokens;
    this.#known.tokens = found;
    return found.token !== tokens.token || found.workerToken !== tokens.workerToken;
  }

  #patience(isSafe: boolean): number {
    const { hasAnswered, outage } = this.#known;
    if (!hasAnswered) return FIRST_PATIENCE_MS;
    // Whoever waited has given up, and whoever ends the command need not wait again.
    if (outage.isGivenUp) return 0;
    return isSafe && outage.isWaitedOut ? outage.patienceMs : PATIENCE_MS;
  }

  /** Nothing is asked any more. */
  get isClosed(): boolean {
    return this.signals.some(({ aborted }) => aborted);
  }

  /** Ends what is under way. */
  close(): void {
    this.#known.closing.abort();
  }

  async #try<E extends Endpoint, T>(
    endpoint: E,
    asked: Asked<E>,
    read: (response: Response) => Promise<T>,
  ): Promise<Tried<T>> {
    const limit = new TimeLimit(asked.timeoutMs ?? TIMEOUT_MS, this.#signals(asked.signal));
    try {
      const response = await this.#send(endpoint, asked, limit.signal);
      if (response.ok) {
        const value = await read(response);
        this.#known.hasAnswered = true;
        return { value };
      }
      const error = refusal({ url: this.url, status: response.status, text: await response.text() });
      if (error.code !== 'SERVER_UNREACHABLE') this.#known.hasAnswered = true;
      // Who says that it is shutting down has done nothing.
      return { error, wasSent: error.code !== 'SHUTTING_DOWN' };
    } catch (error) {
      const { code, message } = innermost(error);
      const problem = this.#known.closing.signal.aborted
        ? 'the client was closed'
        : limit.isOver
          ? 'it did not answer in time'
          : NEVER_SENT.has(code) || code.startsWith('ERR_SSL')
            ? code
            : message;
      return {
        error: new HoldfastError('SERVER_UNREACHABLE', { url: this.url, problem }, error),
        wasSent: !NEVER_SENT.has(code),
      };
    } finally {
      limit.end();
    }
  }

  #send<E extends Endpoint>(endpoint: E, asked: Asked<E>, signal: AbortSignal): Promise<Response> {
    const { params = {}, query = {}, body, actor, headers = {} } = asked;
    const { token, workerToken = token } = this.#known.tokens;
    const shown = endpoint.role === 'worker' ? workerToken : token;
    return fetch(requestUrl(this.url, endpoint.path, params as Parameters, query as Parameters), {
      method: endpoint.method,
      headers: {
        ...(shown !== null && { authorization: `Bearer ${shown}` }),
        ...(actor !== undefined && { [ACTOR]: encodeURIComponent(actor) }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // The token is meant for this server, not for where it sends us.
      redirect: 'error',
      signal,
    });
  }

  #signals(signal: AbortSignal | undefined): AbortSignal[] {
    return signal === undefined ? [...this.signals] : [...this.signals, signal];
  }
}

/** fetch wraps what went wrong in errors that say nothing. */
function innermost(error: unknown): { code: string; message: string } {
  const { cause, code = '', message } = error as Error & { code?: unknown };
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  return inner instanceof Error ? innermost(inner) : { code: String(code), message };
}
