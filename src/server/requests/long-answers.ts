import type { FastifyReply } from 'fastify';

/** Answers that may take long, so that they can be ended: when their client is gone, or all of them at once. */
export class LongAnswers {
  readonly #open = new Set<AbortController>();
  #ended = false;

  /** Ends when there is nobody left to answer, or the server stops. */
  signalFor({ raw }: FastifyReply): AbortSignal {
    const answer = new AbortController();
    if (this.#ended || raw.destroyed) {
      answer.abort();
      return answer.signal;
    }
    this.#open.add(answer);
    raw.once('close', () => {
      this.#open.delete(answer);
      answer.abort();
    });
    return answer.signal;
  }

  endAll(): void {
    this.#ended = true;
    for (const answer of this.#open) answer.abort();
  }
}
