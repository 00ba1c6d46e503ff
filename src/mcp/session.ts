import type { Engine } from '../core/engine.ts';
import type { Offer } from '../core/fit.ts';
import type { AgentLimits } from '../core/resolution.ts';
import type { RetryPolicy } from '../core/retry-policy.ts';
import { ToolError } from './tool-error.ts';
import { TextGuard } from './untrusted-text.ts';

/** What the agent behind this server may see and do. Set by who starts it; nothing an agent says changes it. */
export interface SessionLimits {
  /** The only workflow there is; null: all. */
  workflowId: number | null;
  readOnly: boolean;
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
  offer: Offer;
  retryDefaults: Partial<RetryPolicy>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** One agent's connection: the engine, the limits, and what is left of them. */
export class Session {
  readonly engine: Engine;
  readonly limits: SessionLimits;
  readonly place: NewWorkflowPlace;
  private readonly environment: Environment;
  private readonly secretsOf: ((workflowId: number) => Promise<Environment>) | undefined;
  private readonly jobEnvironments = new Map<string, Environment>();
  private decided = 0;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(facts: {
    engine: Engine;
    limits: SessionLimits;
    place: NewWorkflowPlace;
    environment: Environment;
    /** What is secret in a whole workflow: where agents of others look, that of one job is hidden in all. */
    secretsOf?: (workflowId: number) => Promise<Environment>;
  }) {
    this.engine = facts.engine;
    this.limits = facts.limits;
    this.place = facts.place;
    this.environment = facts.environment;
    this.secretsOf = facts.secretsOf;
  }

  get actor(): string {
    return `agent:${this.limits.agentName}`;
  }

  get decisionsLeft(): number {
    return Math.max(0, this.limits.maxDecisions - this.decided);
  }

  get agentLimits(): AgentLimits {
    return { max_decisions: this.decisionsLeft, min_confidence: this.limits.minConfidence };
  }

  /** Changes come one after the other: what one uses up, the next does not have. */
  inTurn<T>(change: () => Promise<T>): Promise<T> {
    const mine = this.turn.then(change);
    this.turn = mine.catch(() => {});
    return mine;
  }

  countDecisions(count: number): void {
    this.decided += count;
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
    return new TextGuard([this.environment]);
  }

  /** For texts of these jobs: their own secrets are hidden too. */
  async guardFor(workflowId: number, jobs: Iterable<number>): Promise<TextGuard> {
    if (this.secretsOf !== undefined) {
      return new TextGuard([this.environment, await this.secretsOf(workflowId)]);
    }
    const environments = new Map<string, Environment>();
    for (const job of new Set(jobs)) {
      const environment = await this.environmentOf(workflowId, job);
      environments.set(JSON.stringify(environment), environment);
    }
    return new TextGuard([this.environment, ...environments.values()]);
  }

  private async environmentOf(workflowId: number, job: number): Promise<Environment> {
    const key = `${workflowId}:${job}`;
    const known = this.jobEnvironments.get(key);
    if (known !== undefined) return known;
    const { env } = (await this.engine.getJob(workflowId, job)).config;
    this.jobEnvironments.set(key, env);
    return env;
  }
}
