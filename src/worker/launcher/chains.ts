/**
 * Attempts that run one after another in the place of the first: when one ends, the next of its chain begins,
 * without anybody being asked. Worker and launcher keep the same chains, each on its side.
 */
export class Chains {
  readonly #chainOf = new Map<number, number[]>();

  /** Puts the attempt at the end of the chain of `after`; it begins one of its own if that is over, or null. */
  add(token: number, after: number | null): void {
    const chain = (after === null ? undefined : this.#chainOf.get(after)) ?? [];
    chain.push(token);
    this.#chainOf.set(token, chain);
  }

  /** Whether it waits for another one to end. */
  isHeld(token: number): boolean {
    const chain = this.#chainOf.get(token);
    return chain !== undefined && chain[0] !== token;
  }

  /** How many wait behind the first of its chain. */
  heldBehind(token: number): number {
    return (this.#chainOf.get(token)?.length ?? 1) - 1;
  }

  /** The attempt is over. Returns the one that begins because of it, or null. */
  remove(token: number): number | null {
    const chain = this.#chainOf.get(token);
    if (chain === undefined) return null;
    this.#chainOf.delete(token);
    const wasFirst = chain[0] === token;
    chain.splice(chain.indexOf(token), 1);
    return wasFirst ? (chain[0] ?? null) : null;
  }

  /** A held attempt leaves its chain and begins one of its own. */
  detach(token: number): void {
    this.remove(token);
    this.add(token, null);
  }
}
