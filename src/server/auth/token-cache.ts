import { createHash } from 'node:crypto';
import type { ServedEngine } from '../../contract/engine.ts';
import type { TokenRecord } from '../../contract/records/token.ts';

/** How long a token that was taken back elsewhere still works here. */
const LIFE_MS = 2_000;
const MOST_TOKENS = 10_000;
const TOKEN = /^hf_[\w-]{16,200}$/;

interface Entry {
  token: Promise<TokenRecord | null>;
  until: number;
}

/** Remembers for a moment which secrets are tokens, and which are not, so that the database is not asked each time. */
export class TokenCache {
  readonly #engine: Pick<ServedEngine, 'authenticate'>;
  readonly #clock: () => number;
  readonly #entries = new Map<string, Entry>();

  constructor(engine: Pick<ServedEngine, 'authenticate'>, clock: () => number) {
    this.#engine = engine;
    this.#clock = clock;
  }

  async find(secret: string): Promise<TokenRecord | null> {
    if (!TOKEN.test(secret)) return null;
    const now = this.#clock();
    const key = createHash('sha256').update(secret).digest('hex');
    const known = this.#entries.get(key);
    const entry = known !== undefined && known.until > now ? known : this.#ask(key, secret, now);
    const token = await entry.token;
    if (token === null || token.revoked_at_ms !== null) return null;
    return token.expires_at_ms !== null && token.expires_at_ms <= now ? null : token;
  }

  /** A token was taken back here: that counts at once. */
  clear(): void {
    this.#entries.clear();
  }

  #ask(key: string, secret: string, now: number): Entry {
    const entry = { token: this.#engine.authenticate(secret), until: now + LIFE_MS };
    // A database that does not answer says nothing about the token.
    entry.token.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MOST_TOKENS && oldest !== undefined) this.#entries.delete(oldest);
    return entry;
  }
}
