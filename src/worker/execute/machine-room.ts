import type { Capacity, Claim } from '../../contract/records/exchange.ts';
import { withinResources } from '../../core/placement/eligibility.ts';
import { freeResources, takeResources } from '../../core/placement/resources.ts';

export interface MachineOffer {
  cpus: number;
  memoryBytes: number;
  gpus: number;
  maxParallel: number | null;
  /** For jobs with `num_nodes` (default: nodes are not counted). */
  nodes?: number;
}

/** What a machine has, and what is left of it. */
export class MachineRoom {
  readonly #offer: MachineOffer;

  constructor(offer: MachineOffer) {
    this.#offer = offer;
  }

  /** What is left when `machines` like this one run the claims. */
  left(machines: number, claims: Iterable<Claim>): Capacity {
    const { cpus, memoryBytes, gpus, maxParallel, nodes = null } = this.#offer;
    const one = freeResources({ cpus, memory_bytes: memoryBytes, gpus, nodes, max_parallel: maxParallel });
    const left: Capacity = {
      ...one,
      cpus: one.cpus * machines,
      memory_bytes: one.memory_bytes * machines,
      gpus: one.gpus * machines,
      slots: one.slots * machines,
      ...(one.nodes !== undefined && { nodes: one.nodes * machines }),
    };
    for (const { requirement } of claims) takeResources(left, requirement);
    return left;
  }

  fits({ requirement }: Claim, beside: Iterable<Claim>): boolean {
    return withinResources(requirement, this.left(1, beside)).fits;
  }
}
