import type { Claim } from '../../contract/records/exchange.ts';
import { Queues } from '../launcher/queues.ts';

/** How many claims wait in the launcher for one place, so that it starts them by itself. */
const MOST_FOLLOWERS = 24;
/** Nothing waits behind an attempt that runs for longer, however short the others are. */
const LONG_MS = 200;

interface Occupant {
  claim: Claim;
  /** Whether its room is free the moment its process has ended. */
  canBeFollowed: boolean;
  /** By `performance.now`; Infinity until it has its turn. */
  since: number;
}

/** Claims that occupy room of the machine, and those that were ordered to take their places one after another. */
export class OccupiedPlaces {
  readonly #queues = new Queues<Occupant>();

  /** How many wait for a place. */
  get waiting(): number {
    return this.#queues.waiting;
  }

  get isEmpty(): boolean {
    return this.#queues.entries().next().done === true;
  }

  has(token: number): boolean {
    return this.#queues.has(token);
  }

  get(token: number): Claim | undefined {
    return this.#queues.get(token)?.claim;
  }

  /** Claims that occupy room. */
  occupants(): Claim[] {
    return this.#queues.firsts().map(({ claim }) => claim);
  }

  /** Claims that will. */
  followers(): Claim[] {
    return this.#queues.followers().map(({ claim }) => claim);
  }

  /** Takes a place of its own. */
  occupy(claim: Claim, canBeFollowed: boolean): void {
    this.#queues.add(claim.token, claim.token, { claim, canBeFollowed, since: performance.now() });
  }

  /** The place that the claim can take after others; undefined if there is none. All get the same number of followers. */
  placeFor(claim: Claim): number | undefined {
    const oldest = performance.now() - LONG_MS;
    let best: number | undefined;
    let fewest = MOST_FOLLOWERS;
    for (const { queue, first, followers } of this.#queues.entries()) {
      if (!first.canBeFollowed || first.since < oldest || !takesSameRoom(claim, first.claim)) continue;
      if (followers >= fewest) continue;
      fewest = followers;
      best = queue;
    }
    return best;
  }

  follow(claim: Claim, place: number): void {
    this.#queues.add(place, claim.token, { claim, canBeFollowed: true, since: Number.POSITIVE_INFINITY });
  }

  /** It has ended or will not begin; what follows it has its place. */
  remove(token: number): Claim | undefined {
    const removed = this.#queues.remove(token);
    if (removed?.next !== undefined) removed.next.since = performance.now();
    return removed?.value.claim;
  }

  /** Followers whose turn does not come, because what they follow takes long. */
  stuck(): Claim[] {
    const oldest = performance.now() - LONG_MS;
    return [...this.#queues.entries()].flatMap(({ queue, first }) => {
      return first.since < oldest ? this.#queues.followers(queue).map(({ claim }) => claim) : [];
    });
  }
}

function takesSameRoom({ requirement: a }: Claim, { requirement: b }: Claim): boolean {
  const isSame = a.cpus === b.cpus && a.memory_bytes === b.memory_bytes;
  return isSame && a.gpus === b.gpus && a.nodes === b.nodes;
}
