import type { Engine } from '../contract/engine.ts';
import type { Claim } from '../contract/records/exchange.ts';
import { parseOutcomes, type SimulatedOutcome } from './simulated-outcome.ts';
import type { SimulatedCourse } from './simulated-worker.ts';

/** One execution of the job when it begins. */
export interface JobExecution {
  token: number;
  visit: number;
  at: number;
  memory_bytes: number | null;
  runtime_ms: number | null;
  /** Counted before it. */
  failure_count: number;
  preemption_count: number;
}

const [SUCCESS] = parseOutcomes('0');

/** The course of one job: its executions end with the outcomes in order, and all other steps succeed at once. */
export class JobCourse implements SimulatedCourse {
  readonly maxExecutions = Number.POSITIVE_INFINITY;
  /** The last of them did not run if `outcomes` were used up. */
  readonly executions: JobExecution[] = [];
  /** By token of the attempt before. */
  readonly recoveryScripts = new Map<number, string>();
  readonly #engine: Engine;
  readonly #clock: { now: number };
  readonly #job: string;
  readonly #outcomes: readonly SimulatedOutcome[];
  readonly #durationMs: number;

  constructor(
    engine: Engine,
    clock: { now: number },
    { job, outcomes, durationMs }: { job: string; outcomes: readonly SimulatedOutcome[]; durationMs: number },
  ) {
    this.#engine = engine;
    this.#clock = clock;
    this.#job = job;
    this.#outcomes = outcomes;
    this.#durationMs = durationMs;
  }

  async next(claim: Claim): Promise<SimulatedOutcome | null> {
    if (claim.job_name !== this.#job) return SUCCESS!;
    // A goto led back to it: what follows belongs to the whole workflow.
    if (this.executions.some(({ visit }) => visit !== claim.visit)) return null;
    const { failure_count, preemption_count } = await this.#engine.getJob(claim.workflow_id, claim.job_id);
    this.executions.push({
      token: claim.token,
      visit: claim.visit,
      at: this.#clock.now,
      memory_bytes: claim.requirement.memory_bytes,
      runtime_ms: claim.config.timeout_ms,
      failure_count,
      preemption_count,
    });
    return this.#outcomes[this.executions.length - 1] ?? null;
  }

  durationMs(claim: Claim): number {
    return claim.job_name === this.#job ? this.#durationMs : 0;
  }

  recovers(token: number, script: string): void {
    this.recoveryScripts.set(token, script);
  }

  output(): unknown {
    return null;
  }
}
