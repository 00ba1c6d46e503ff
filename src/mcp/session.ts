import type { Engine } from '../contract/engine.ts';
import type { AgentLimits } from '../contract/records/resolution.ts';
import type { RunOffer } from '../core/placement/fit.ts';
import type { RetryPolicy } from '../core/policy/retry-policy.ts';
import { ToolError } from './tool-error.ts';
import { TextGuard } from './untrusted-text.ts';

/** What the agent behind this server may see and do. Set by who starts it; nothing an agent says changes it. */
export interface SessionLimits {
  /** The only workflow there is; null: all. */
  workflowId: number | null;
  /** Nothing can be changed, and why: the option of the process, or the role of the token; null: it can. */
  readOnly: 'option' | 'role' | null;
  /** Writing tools that are offered besides the usual one. */
  allowed: ReadonlySet<string>;
  maxDecisions: number;
  minConfidence: number;
  agentName: string;
}

/** Where and how created workflows would run. */
export interface NewWorkflowPlace {
  cwd: string;
  outputDir: string;
  offer: Omit<RunOffer, 'labels'>;
  retryDefaults: Partial<RetryPolicy>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** One agent's connection: the engine, the limits, and what is left of them. */
export class Session {
  readonly engine: Engine;
  readonly limits: SessionLimits;
  readonly place: NewWorkflowPlace;
  readonly #environment: Environment;
  readonly #secretsOf: ((workflowId: number) => Promise<Environment>) | undefined;
  readonly #decisionsMade: ((actor: string) => Promise<number>) | undefined;
  readonly #jobEnvironments = new Map<string, Environment>();
  #decided = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(facts: {
    engine: Engine;
    limits: SessionLimits;
    place: NewWorkflowPlace;
    environment: Environment;
    /** What is secret in a whole workflow: where agents of others look, that of one job is hidden in all. */
    secretsOf?: (workflowId: number) => Promise<Environment>;
    /** What an actor has decided in a day, where that is the limit and not what this session has decided. */
    decisionsMade?: (actor: string) => Promise<number>;
  }) {
    this.engine = facts.engine;
    this.limits = facts.limits;
    this.place = facts.place;
    this.#environment = facts.environment;
    this.#secretsOf = facts.secretsOf;
    this.#decisionsMade = facts.decisionsMade;
  }

  get actor(): string {
    return `agent:${this.limits.agentName}`;
  }

  async decisionsLeft(): Promise<number> {
    const made = this.#decisionsMade === undefined ? this.#decided : await this.#decisionsMade(this.actor);
    return Math.max(0, this.limits.maxDecisions - made);
  }

  get agentLimits(): AgentLimits {
    const { maxDecisions, minConfidence: min_confidence } = this.limits;
    return this.#decisionsMade === undefined
      ? { max_decisions: Math.max(0, maxDecisions - this.#decided), min_confidence }
      : { max_decisions: maxDecisions, min_confidence, per_day: maxDecisions };
  }

  /** Changes come one after the other: what one uses up, the next does not have. */
  inTurn<T>(change: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(change);
    this.#turn = mine.catch(() => {});
    return mine;
  }

  countDecisions(count: number): void {
    this.#decided += count;
  }

  /** Another workflow does not exist for this server. */
  checkWorkflow(id: number): void {
    const { workflowId } = this.limits;
    if (workflowId === null || workflowId === id) return;
    throw new ToolError({
      code: 'WORKFLOW_NOT_FOUND',
      message: `there is no workflow ${id} for this server`,
      next: `this server was started for workflow ${workflowId} alone; use workflow_id ${workflowId}`,
    });
  }

  /** For texts that belong to no job. */
  guard(): TextGuard {
    return new TextGuard([this.#environment]);
  }

  /** For texts of these jobs: their own secrets are hidden too. */
  async guardFor(workflowId: number, jobs: Iterable<number>): Promise<TextGuard> {
    if (this.#secretsOf !== undefined) {
      return new TextGuard([this.#environment, await this.#secretsOf(workflowId)]);
    }
    const environments = new Map<string, Environment>();
    for (const job of new Set(jobs)) {
      const environment = await this.#environmentOf(workflowId, job);
      environments.set(JSON.stringify(environment), environment);
    }
    return new TextGuard([this.#environment, ...environments.values()]);
  }

  async #environmentOf(workflowId: number, job: number): Promise<Environment> {
    const key = `${workflowId}:${job}`;
    const known = this.#jobEnvironments.get(key);
    if (known !== undefined) return known;
    const { env } = (await this.engine.getJob(workflowId, job)).config;
    this.#jobEnvironments.set(key, env);
    return env;
  }
}
