import type { Capacity, Claim } from '../../contract/records/exchange.ts';
import type { EndedNotice } from '../launcher/protocol.ts';
import { type MachineOffer, MachineRoom } from './machine-room.ts';
import { OccupiedPlaces } from './occupied-places.ts';

/** Jobs shorter than this on average are claimed ahead, so that no slot waits for a commit. */
const SHORT_MS = 100;
/** How much is claimed ahead, in machines full of jobs. */
const AHEAD = 64;
/** How often is looked whether short jobs wait behind a long one. */
const STUCK_MS = 100;

interface ClaimOrders {
  /** Launch it: now, or when what is before it in the queue has ended. */
  launch(claim: Claim, queue?: number): void;
  /** Launch it once its condition and its ports are known. */
  prepare(claim: Claim): void;
  /** Have it back from the launcher, if it has not started. */
  askBack(token: number): void;
}

/** Claims from the moment they come to the end of their attempts: what runs, what runs next, and what there is room for. */
export class ClaimsAtHand {
  readonly #orders: ClaimOrders;
  readonly #room: MachineRoom;
  /** From the order to the launcher to the end. */
  readonly #places = new OccupiedPlaces();
  /** Claimed ahead, and no order given yet. */
  readonly #ahead: Claim[] = [];
  /** Ordered to follow another one, and asked back. */
  readonly #askedBack = new Set<number>();
  #stuckTimer: NodeJS.Timeout | undefined;
  /** How many had not started when the last were claimed. */
  #mostUnstarted = 0;
  /** Moving average of how long attempts run; null before the first has ended. */
  #meanMs: number | null = null;

  constructor(offer: MachineOffer, orders: ClaimOrders) {
    this.#orders = orders;
    this.#room = new MachineRoom(offer);
  }

  get isEmpty(): boolean {
    return this.unstarted === 0 && this.#places.isEmpty;
  }

  get unstarted(): number {
    return this.#ahead.length + this.#places.waiting;
  }

  /** At least half of what was claimed last has started. */
  get isHalfStarted(): boolean {
    return 2 * this.unstarted <= this.#mostUnstarted;
  }

  /** What to ask for: what is free, and more where jobs are so short that slots would wait for commits. */
  capacity(): Capacity {
    const claims = [...this.#places.occupants(), ...this.#places.followers(), ...this.#ahead];
    return this.#room.left(this.#isShort ? 1 + AHEAD : 1, claims);
  }

  /** Whether an order was given for it and it has not ended. */
  has(token: number): boolean {
    return this.#places.has(token);
  }

  get(token: number): Claim | undefined {
    return this.#places.get(token);
  }

  /** Ordered claims, those that have not had their turn first. */
  ordered(): Claim[] {
    return [...this.#places.followers(), ...this.#places.occupants()];
  }

  followers(): Claim[] {
    return this.#places.followers();
  }

  add(claims: readonly Claim[]): void {
    this.#ahead.push(...claims);
    this.#mostUnstarted = this.unstarted;
  }

  /** It runs already, or is about to without `launchNext`. */
  occupy(claim: Claim): void {
    this.#places.occupy(claim, false);
  }

  /** Launches what was claimed, in that order, as far as it fits now or will when short jobs have ended. */
  launchNext(): void {
    for (
      let next = this.#ahead[0];
      next !== undefined && this.#room.fits(next, this.#places.occupants());
      next = this.#ahead[0]
    ) {
      this.#ahead.shift();
      const isPlain = isPlainClaim(next);
      this.#places.occupy(next, isPlain && next.config.post === null);
      if (isPlain) this.#orders.launch(next);
      else this.#orders.prepare(next);
    }
    if (this.#isShort) this.#queueFollowers();
  }

  /** It has ended, or will not begin. */
  remove(token: number): Claim | undefined {
    this.#askedBack.delete(token);
    return this.#places.remove(token);
  }

  /** As `remove`; but what was asked back and has not started is at hand again: null. */
  ended({ token, startedAt, finishedAt, outcome }: EndedNotice): Claim | undefined | null {
    const isBack = this.#askedBack.has(token) && startedAt === null && outcome.stopped;
    const claim = this.remove(token);
    if (claim !== undefined && isBack) {
      this.#ahead.push(claim);
      return null;
    }
    if (claim !== undefined && startedAt !== null) {
      const took = finishedAt - startedAt;
      this.#meanMs = this.#meanMs === null ? took : this.#meanMs * 0.8 + took * 0.2;
    }
    return claim;
  }

  /** No longer at hand: those for which no order was given. */
  takeAhead(): Claim[] {
    return this.#ahead.splice(0);
  }

  /** The same of one; what an order was given for is not taken back any more. */
  takeOneAhead(token: number): Claim | undefined {
    this.#askedBack.delete(token);
    const index = this.#ahead.findIndex((claim) => claim.token === token);
    return index < 0 ? undefined : this.#ahead.splice(index, 1)[0];
  }

  close(): void {
    clearTimeout(this.#stuckTimer);
  }

  get #isShort(): boolean {
    return this.#meanMs !== null && this.#meanMs < SHORT_MS;
  }

  /** A place is taken the moment it is free, without a word between launcher and worker. */
  #queueFollowers(): void {
    for (let next = this.#ahead[0]; next !== undefined; next = this.#ahead[0]) {
      const canFollow = isPlainClaim(next) && next.config.post === null;
      const place = canFollow ? this.#places.placeFor(next) : undefined;
      if (place === undefined) break;
      this.#ahead.shift();
      this.#places.follow(next, place);
      this.#orders.launch(next, place);
    }
    this.#watchFollowers();
  }

  #watchFollowers(): void {
    if (this.#places.waiting === 0) return;
    this.#stuckTimer ??= setTimeout(() => {
      this.#stuckTimer = undefined;
      this.#askBackStuck();
      this.#watchFollowers();
    }, STUCK_MS);
  }

  /** What waits behind a long attempt is for the next place that is free. */
  #askBackStuck(): void {
    for (const { token } of this.#places.stuck()) {
      if (this.#askedBack.has(token)) continue;
      this.#askedBack.add(token);
      this.#orders.askBack(token);
    }
  }
}

/** It can be started without another question. */
function isPlainClaim({ condition, config }: Claim): boolean {
  return condition === null && config.ports.length === 0;
}
