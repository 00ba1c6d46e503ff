import type { Capacity, Claim } from '../core/exchange.ts';

export interface MachineOffer {
  cpus: number;
  memoryBytes: number;
  gpus: number;
  maxParallel: number | null;
}

/** No limit that anybody reaches. */
const MANY = 1_000_000;

/** What a machine has, and what is left of it. */
export class MachineRoom {
  private readonly offer: MachineOffer;

  constructor(offer: MachineOffer) {
    this.offer = offer;
  }

  /** What is left when `machines` like this one run the claims. */
  left(machines: number, claims: Iterable<Claim>): Capacity {
    const { cpus, memoryBytes, gpus, maxParallel } = this.offer;
    const left: Capacity = {
      cpus: cpus * machines,
      memory_bytes: memoryBytes * machines,
      gpus: gpus * machines,
      slots: (maxParallel ?? MANY) * machines,
      default_cpus: this.defaultCpus,
    };
    for (const { requirement } of claims) {
      left.slots -= 1;
      left.cpus -= requirement.cpus ?? left.default_cpus;
      left.memory_bytes -= requirement.memoryBytes ?? 0;
      left.gpus -= requirement.gpus;
    }
    return left;
  }

  fits({ requirement }: Claim, beside: Iterable<Claim>): boolean {
    const left = this.left(1, beside);
    return (
      left.slots > 0 &&
      (requirement.cpus ?? left.default_cpus) <= left.cpus + 1e-9 &&
      (requirement.memoryBytes ?? 0) <= left.memory_bytes &&
      requirement.gpus <= left.gpus
    );
  }

  /** A job without a requirement takes one CPU, or less if more may run in parallel. */
  private get defaultCpus(): number {
    const { cpus, maxParallel } = this.offer;
    return maxParallel !== null && maxParallel > cpus ? cpus / maxParallel : 1;
  }
}
