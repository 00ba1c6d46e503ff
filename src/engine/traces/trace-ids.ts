import { createHash } from 'node:crypto';

/**
 * Ids follow from what they name, so that a process that starts again, or a worker elsewhere, uses the same ones. Databases
 * number their workflows alike: the id of the database distinguishes them.
 */
export class TraceIds {
  readonly #database: string;

  constructor(database: string) {
    this.#database = database;
  }

  /** The trace of a run. */
  trace(workflowId: number, runId: number): string {
    return this.#digits(32, 'run', workflowId, runId);
  }

  /** The span of a run; `ends`: of what was done since it had ended so many times before. */
  run(workflowId: number, runId: number, ends = 0): string {
    return this.#digits(16, 'span', workflowId, runId, ends);
  }

  attempt(token: number): string {
    return this.#digits(16, 'attempt', token);
  }

  waiting(token: number): string {
    return this.#digits(16, 'waiting', token);
  }

  errand(id: number): string {
    return this.#digits(16, 'errand', id);
  }

  /** What an attempt finds in TRACEPARENT: spans of its own are children of its span, and are kept. */
  traceparent(claim: { workflow_id: number; run_id: number; token: number }): string {
    return `00-${this.trace(claim.workflow_id, claim.run_id)}-${this.attempt(claim.token)}-01`;
  }

  #digits(count: number, ...name: (string | number)[]): string {
    return createHash('sha256')
      .update([this.#database, ...name].join('/'))
      .digest('hex')
      .slice(0, count);
  }
}
