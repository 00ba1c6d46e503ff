import type { FastifyRequest } from 'fastify';
import { HoldfastError } from '../core/errors.ts';

export const DEFAULT_STREAMS_PER_TOKEN = 100;

/** Counts answers that stay open: streams of events, and logs that are followed. */
export class StreamLimit {
  readonly #most: number;
  readonly #open = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns a function that reports its end. Without tokens, the address counts. */
  enter({ caller, ip }: FastifyRequest): () => void {
    const who = caller?.auth === 'token' ? `token ${caller.name}` : `address ${ip}`;
    const count = this.#open.get(who) ?? 0;
    if (count >= this.#most) throw new HoldfastError('TOO_MANY_STREAMS', { limit: this.#most });
    this.#open.set(who, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#open.get(who) ?? 1) - 1;
      if (left === 0) this.#open.delete(who);
      else this.#open.set(who, left);
    };
  }

  /** Opens a stream, and counts it until it ends. */
  async counted<T>(request: FastifyRequest, open: () => Promise<T>): Promise<T> {
    const leave = this.enter(request);
    try {
      const stream = await open();
      if (!isStream(stream)) leave();
      else stream.once('close', leave);
      return stream;
    } catch (error) {
      leave();
      throw error;
    }
  }
}

function isStream(value: unknown): value is { once(event: 'close', listener: () => void): void } {
  return typeof value === 'object' && value !== null && 'pipe' in value && 'once' in value;
}
