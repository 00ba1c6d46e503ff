import { setTimeout as sleep } from 'node:timers/promises';

const ASK_MS = 20_000;
const SLOW_MS = 8_000;
const PATIENCE_MS = 120_000;

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: read as any client that knows no types reads it
  body: any;
}

/** Asks the servers that are up over HTTP, as any client would. What they answer with 500 is kept. */
export class Api {
  readonly #urls: () => string[];
  readonly bugs: string[] = [];
  /** Answers that took long or did not come, though something listened. */
  readonly slow: string[] = [];

  constructor(urls: () => string[]) {
    this.#urls = urls;
  }

  /** One try; null: no answer. */
  async once(method: string, path: string, body?: object, key?: string): Promise<Answer | null> {
    const url = this.#urls()[0];
    if (url === undefined) return null;
    const began = performance.now();
    try {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        signal: AbortSignal.timeout(ASK_MS),
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const answer = { status: response.status, body: await response.json() };
      if (answer.status === 500) this.bugs.push(`${method} ${path}: ${JSON.stringify(answer.body)}`);
      return answer;
    } catch {
      return null;
    } finally {
      const ms = performance.now() - began;
      if (ms > SLOW_MS) this.slow.push(`${method} ${url}${path}: ${Math.round(ms)} ms`);
    }
  }

  /** Asks until there is an answer that is not about an outage or a full disk. */
  async ask(method: string, path: string, body?: object, key?: string): Promise<Answer> {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const answer = await this.once(method, path, body, key);
      if (answer !== null && answer.status < 500) return answer;
      if (Date.now() > end) throw new Error(`no answer: ${method} ${path}: ${JSON.stringify(answer)}`);
      await sleep(100);
    }
  }

  /** All pages of a list. */
  async list<T>(path: string): Promise<T[]> {
    const items: T[] = [];
    for (let after: number | string | null = null; ; ) {
      const page: string = after === null ? '' : `&after=${after}`;
      const { status, body } = await this.ask('GET', `${path}?limit=1000${page}`);
      if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
      items.push(...body.items);
      after = body.next;
      if (after === null) return items;
    }
  }
}
