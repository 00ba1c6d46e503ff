/**
 * Work in queues: in each of them one piece after another has its turn. Worker and launcher have the same queues. The worker
 * hears of an end later than the launcher, so that it never takes a queue for free that is not.
 */
export class Queues<T> {
  readonly #queues = new Map<number, { token: number; value: T }[]>();
  readonly #queueOf = new Map<number, number>();

  /** How many wait for their turn. */
  get waiting(): number {
    return this.#queueOf.size - this.#queues.size;
  }

  has(token: number): boolean {
    return this.#queueOf.has(token);
  }

  hasQueue(queue: number): boolean {
    return this.#queues.has(queue);
  }

  get(token: number): T | undefined {
    return this.#queueWith(token)?.find((each) => each.token === token)?.value;
  }

  /** Whether another one waits for the end of this one. */
  isFollowed(token: number): boolean {
    const queue = this.#queueWith(token);
    return queue !== undefined && queue.length > 1 && queue[0]!.token === token;
  }

  /** Each queue with what has its turn in it, and how many wait behind that. */
  *entries(): Generator<{ queue: number; first: T; followers: number }> {
    for (const [queue, [first, ...others]] of this.#queues) {
      yield { queue, first: first!.value, followers: others.length };
    }
  }

  /** What has its turn. */
  firsts(): T[] {
    return [...this.#queues.values()].map(([first]) => first!.value);
  }

  /** What waits for its turn in a queue, or in all of them. */
  followers(queue?: number): T[] {
    const queues = queue === undefined ? [...this.#queues.values()] : [this.#queues.get(queue) ?? []];
    return queues.flatMap(([, ...others]) => others.map(({ value }) => value));
  }

  /** Returns whether it has its turn at once. */
  add(queue: number, token: number, value: T): boolean {
    const known = this.#queues.get(queue);
    this.#queueOf.set(token, queue);
    if (known === undefined) this.#queues.set(queue, [{ token, value }]);
    else known.push({ token, value });
    return known === undefined;
  }

  /** It has ended, or will not begin. `next`: what has its turn now, because of that. */
  remove(token: number): { value: T; next?: T } | undefined {
    const number = this.#queueOf.get(token);
    if (number === undefined) return undefined;
    this.#queueOf.delete(token);
    const queue = this.#queues.get(number)!;
    const index = queue.findIndex((each) => each.token === token);
    const { value } = queue[index]!;
    queue.splice(index, 1);
    const [next] = queue;
    if (next === undefined) this.#queues.delete(number);
    return index === 0 && next !== undefined ? { value, next: next.value } : { value };
  }

  #queueWith(token: number): { token: number; value: T }[] | undefined {
    const queue = this.#queueOf.get(token);
    return queue === undefined ? undefined : this.#queues.get(queue);
  }
}
