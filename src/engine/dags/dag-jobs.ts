import type { RunAttempt } from '../../contract/run-engine.ts';
import { nodeNames } from '../../core/dag/node-names.ts';
import { roundNode } from '../../core/dag/round-nodes.ts';
import type { DagJobState } from '../../store/rows/dags/dag-job-rows.ts';

/** The jobs of a workflow by their places in its DAG. Of a workflow that is no round, each node is a unit. */
export class DagJobs {
  readonly #byPlace = new Map<string, DagJobState>();
  readonly #byUnit = new Map<string, DagJobState[]>();
  readonly #nodes = new Map<number, string>();

  /** `jobs` are all jobs of the workflow, in order. */
  constructor(jobs: readonly DagJobState[], isRound: boolean) {
    const nodes = isRound ? [] : nodeNames(jobs.map(({ name }) => name));
    for (const [index, job] of jobs.entries()) {
      const place = isRound ? roundNode(job.name) : { unit: nodes[index]!, node: nodes[index]! };
      if (place === null) continue;
      this.#byPlace.set(`${place.unit}/${place.node}`, job);
      this.#byUnit.set(place.unit, [...(this.#byUnit.get(place.unit) ?? []), job]);
      this.#nodes.set(job.id, place.node);
    }
  }

  of({ unit, record }: RunAttempt): DagJobState | undefined {
    return this.#byPlace.get(`${unit}/${record.node_name}`);
  }

  ofUnit(unit: string): readonly DagJobState[] {
    return this.#byUnit.get(unit) ?? [];
  }

  nodeOf({ id }: DagJobState): string {
    return this.#nodes.get(id) ?? '';
  }
}
