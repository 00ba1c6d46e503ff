import type { Requirement } from '../../core/model/workflow-model.ts';
import {
  eligibility,
  type Places,
  type Situation,
  type WorkerOffer,
} from '../../core/placement/eligibility.ts';
import { takeResources } from '../../core/placement/resources.ts';

/** What is left of the limits of a workflow, for all workers together; shrinks with each claim. */
export interface SharedLimits {
  named: Map<string, number>;
  parallel: number;
}

/** What one worker has free for one workflow while claims are made; shrinks with each. */
export class Room {
  readonly offer: WorkerOffer;
  readonly #limits: SharedLimits;
  readonly #situation: Situation;

  /** `places` are those of the workflow. */
  constructor(offer: WorkerOffer, limits: SharedLimits, places: Places, now: number) {
    this.offer = offer;
    this.#limits = limits;
    this.#situation = { now, ...places, limits, others: [] };
  }

  get isFull(): boolean {
    return this.offer.free.slots <= 0 || this.#limits.parallel <= 0;
  }

  /** How many jobs with this requirement could start now. Where they failed before is not looked at. */
  countOf(requirement: Requirement): number {
    const answer = eligibility({ requirement, avoid: null }, this.offer, this.#situation);
    return answer.fits ? answer.count : 0;
  }

  take(need: Requirement): void {
    takeResources(this.offer.free, need);
    this.#limits.parallel -= 1;
    for (const [name, amount] of Object.entries(need.resources)) {
      this.#limits.named.set(name, (this.#limits.named.get(name) ?? 0) - amount);
    }
  }
}
