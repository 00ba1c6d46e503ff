import type { Capacity } from '../core/exchange.ts';
import type { Requirement } from '../core/workflow-model.ts';

/** What is left of the limits of a workflow, for all workers together; shrinks with each claim. */
export interface Limits {
  named: Map<string, number>;
  parallel: number;
}

/** What one worker has free for one workflow while claims are made; shrinks with each. */
export class Room {
  private readonly capacity: Capacity;
  private readonly limits: Limits;

  constructor(capacity: Capacity, limits: Limits) {
    this.capacity = capacity;
    this.limits = limits;
  }

  /** How many jobs could start at the most, whatever they need. */
  get slots(): number {
    return Math.min(this.capacity.slots, this.limits.parallel);
  }

  fits(need: Requirement): boolean {
    return this.countOf(need) > 0;
  }

  /** How many jobs with this requirement could start now. */
  countOf(need: Requirement): number {
    const { cpus, memory_bytes, gpus } = this.capacity;
    const parts = [
      this.slots,
      (cpus + 1e-9) / this.cpusOf(need),
      memory_bytes / (need.memoryBytes ?? 0),
      gpus / need.gpus,
    ];
    for (const [name, amount] of Object.entries(need.resources))
      parts.push((this.limits.named.get(name) ?? 0) / amount);
    // Nothing needed of nothing left is 0 / 0, and no obstacle.
    return Math.floor(Math.min(...parts.filter((part) => !Number.isNaN(part))));
  }

  take(need: Requirement): void {
    this.capacity.slots -= 1;
    this.capacity.cpus -= this.cpusOf(need);
    this.capacity.memory_bytes -= need.memoryBytes ?? 0;
    this.capacity.gpus -= need.gpus;
    this.limits.parallel -= 1;
    for (const [name, amount] of Object.entries(need.resources)) {
      this.limits.named.set(name, (this.limits.named.get(name) ?? 0) - amount);
    }
  }

  private cpusOf(need: Requirement): number {
    return need.cpus ?? this.capacity.default_cpus;
  }
}
