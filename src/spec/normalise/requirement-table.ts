import type { Requirement } from '../../core/model/workflow-model.ts';
import { parseDuration, parseSize } from '../../core/text/quantity.ts';
import type { Findings } from '../findings.ts';
import type { SpecPath } from '../problem.ts';
import type { RequirementSpec } from '../schema/requirement-schema.ts';
import { didYouMean } from '../suggest.ts';

export interface Resolved {
  index: number;
  /** How long an attempt may take: the shorter one of the job's `timeout` and the `runtime` of its requirement. */
  runtimeMs: number | null;
}

/** What a job asks for besides its `resource_requirements`. */
interface Additions {
  resources: Record<string, number>;
  labels: string[];
  timeoutMs: number | null;
  /** What the job says itself; it takes the place of what its requirement says. */
  own?: OwnNeeds;
}

export type OwnNeeds = Pick<RequirementSpec, 'num_cpus' | 'num_gpus' | 'memory'>;

type Asked = string | RequirementSpec | undefined;

type NamedRequirement = RequirementSpec & { name: string };

/** Named requirements, and the distinct ones that jobs ended up with. */
export class RequirementTable {
  readonly requirements: Requirement[] = [];
  readonly #resolved = new Map<Asked, Map<number | null, Resolved>>();
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

  /** What a job asked for, by name or inline, with what it adds. */
  resolve(asked: Asked, additions: Additions, path: SpecPath): Resolved {
    const { resources, labels, timeoutMs, own } = additions;
    // A name that is not known is reported at every job that uses it.
    const shared =
      own === undefined &&
      labels.length === 0 &&
      Object.keys(resources).length === 0 &&
      (typeof asked !== 'string' || this.#named.has(asked));
    const known = shared ? this.#resolved.get(asked)?.get(timeoutMs) : undefined;
    if (known) return known;
    const resolved = this.#resolve(asked, additions, path);
    if (shared) {
      const byTimeout = this.#resolved.get(asked) ?? new Map<number | null, Resolved>();
      this.#resolved.set(asked, byTimeout.set(timeoutMs, resolved));
    }
    return resolved;
  }

  #resolve(asked: Asked, { resources, labels, timeoutMs, own }: Additions, path: SpecPath): Resolved {
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
      this.#checkTwice(asked, own, path);
    }
    if (own !== undefined) spec = { ...spec, ...own };
    this.#checkLimits(resources, path);
    const ownMs = spec.runtime === undefined ? null : (parseDuration(spec.runtime, this.#bareUnitMs) ?? null);
    const limits = [timeoutMs, ownMs].filter((limit) => limit !== null);
    const runtimeMs = limits.length === 0 ? null : Math.min(...limits);
    const index = this.#indexOf({
      name: spec.name ?? null,
      cpus: spec.num_cpus ?? null,
      memory_bytes: spec.memory === undefined ? null : (parseSize(spec.memory) ?? null),
      gpus: spec.num_gpus ?? 0,
      nodes: spec.num_nodes ?? 1,
      resources,
      labels: [...new Set(labels)].sort(),
      runtime_ms: runtimeMs,
    });
    return { index, runtimeMs };
  }

  /** A name is shared, so that a job may differ from it; an object is its own, and says things once. */
  #checkTwice(asked: RequirementSpec, own: OwnNeeds | undefined, path: SpecPath): void {
    for (const key of Object.keys(own ?? {}) as (keyof OwnNeeds)[]) {
      if (asked[key] !== undefined) {
        this.#findings.error(
          [...path, key],
          `\`${key}\` is also in its \`resource_requirements\`; keep one of them`,
        );
      }
    }
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
