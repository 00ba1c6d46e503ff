import { parseDuration, parseSize } from '../../core/quantity.ts';
import type { Requirement } from '../../core/workflow-model.ts';
import type { Findings } from '../findings.ts';
import type { SpecPath } from '../problem.ts';
import type { RequirementSpec } from '../schema/requirement-schema.ts';
import { didYouMean } from '../suggest.ts';

export interface Resolved {
  index: number;
  runtimeMs: number | null;
}

type NamedRequirement = RequirementSpec & { name: string };

/** Named requirements, and the distinct ones that jobs ended up with. */
export class RequirementTable {
  readonly requirements: Requirement[] = [];
  readonly #resolved = new Map<string | RequirementSpec | undefined, Resolved>();
  readonly #indexes = new Map<string, number>();
  readonly #named = new Map<string, NamedRequirement>();
  readonly #unused: Set<string>;
  readonly #limits: Record<string, number>;
  readonly #bareUnitMs: number;
  readonly #findings: Findings;

  constructor(
    named: NamedRequirement[],
    limits: Record<string, number>,
    bareUnitMs: number,
    findings: Findings,
  ) {
    for (const requirement of named) this.#named.set(requirement.name, requirement);
    this.#unused = new Set(this.#named.keys());
    this.#limits = limits;
    this.#bareUnitMs = bareUnitMs;
    this.#findings = findings;
  }

  get unused(): Iterable<string> {
    return this.#unused;
  }

  /** What a job asked for, by name or inline, with its named resources. */
  resolve(
    asked: string | RequirementSpec | undefined,
    resources: Record<string, number>,
    path: SpecPath,
  ): Resolved {
    // A name that is not known is told at every job that uses it.
    const shared =
      Object.keys(resources).length === 0 && (typeof asked !== 'string' || this.#named.has(asked));
    const known = shared ? this.#resolved.get(asked) : undefined;
    if (known) return known;
    const resolved = this.#resolve(asked, resources, path);
    if (shared) this.#resolved.set(asked, resolved);
    return resolved;
  }

  #resolve(
    asked: string | RequirementSpec | undefined,
    resources: Record<string, number>,
    path: SpecPath,
  ): Resolved {
    let spec: RequirementSpec & { name?: string } = {};
    if (typeof asked === 'string') {
      this.#unused.delete(asked);
      const named = this.#named.get(asked);
      if (named) spec = named;
      else {
        this.#findings.expansionError(
          [...path, 'resource_requirements'],
          `\`resource_requirements\` have no "${asked}"${didYouMean(asked, this.#named.keys())}`,
        );
      }
    } else if (asked) {
      spec = asked;
    }
    this.#checkLimits(resources, path);
    const index = this.#indexOf({
      name: spec.name ?? null,
      cpus: spec.num_cpus ?? null,
      memoryBytes: spec.memory === undefined ? null : (parseSize(spec.memory) ?? null),
      gpus: spec.num_gpus ?? 0,
      nodes: spec.num_nodes ?? 1,
      resources,
    });
    const runtimeMs =
      spec.runtime === undefined ? null : (parseDuration(spec.runtime, this.#bareUnitMs) ?? null);
    return { index, runtimeMs };
  }

  #checkLimits(resources: Record<string, number>, path: SpecPath): void {
    for (const [name, amount] of Object.entries(resources)) {
      const limit = Object.hasOwn(this.#limits, name) ? this.#limits[name]! : undefined;
      const at = [...path, 'resources', name];
      if (limit === undefined) {
        this.#findings.expansionError(
          at,
          `\`limits\` have no "${name}" (add \`limits: {${name}: N}\` to the workflow)${didYouMean(name, Object.keys(this.#limits))}`,
        );
      } else if (amount > limit) {
        this.#findings.expansionError(at, `takes ${amount} of "${name}", but its limit is ${limit}`);
      }
    }
  }

  #indexOf(requirement: Requirement): number {
    const resources = Object.entries(requirement.resources).sort(([a], [b]) => (a < b ? -1 : 1));
    const key = JSON.stringify([{ ...requirement, resources }]);
    let index = this.#indexes.get(key);
    if (index === undefined) {
      index = this.requirements.push({ ...requirement, resources: Object.fromEntries(resources) }) - 1;
      this.#indexes.set(key, index);
    }
    return index;
  }
}
