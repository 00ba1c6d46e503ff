import type { Engine } from '../core/engine.ts';
import type { Capacity, Claim, ExchangeResult, FinishReport } from '../core/exchange.ts';
import { causeOf, type Outcome, outcome } from '../core/outcome.ts';
import { crashedPost } from '../core/post-result.ts';
import type { SimulatedOutcome } from '../core/simulated-outcome.ts';
import { ownIdentity } from '../engine/process-identity.ts';
import type { LogTails } from './code-evaluator.ts';
import { Evaluations } from './evaluations.ts';
import { Outbox } from './outbox.ts';

/** What is supposed to happen. */
export interface SimulatedCourse {
  /** How the next execution of the job ends. */
  next(claim: Claim): SimulatedOutcome;
  /** What a success of the step puts out. */
  output(claim: Claim): unknown;
  durationMs: number;
  /** Where to stop, so that an endless loop has an end. */
  maxExecutions: number;
}

/** `waiting`: for the decision of a person. `endless`: after so many executions, more would follow. */
export type SimulatedEnd = 'complete' | 'waiting' | 'endless' | 'stuck';

interface Execution {
  claim: Claim;
  startedAt: number | null;
  endsAt: number;
  played: SimulatedOutcome;
}

/** Room for everything: only the limits that the workflow itself has count. */
const PLENTY: Capacity = { cpus: 1e6, memory_bytes: 1e18, gpus: 1e6, slots: 1e6, default_cpus: 1 };

/**
 * Does with a workflow what a worker does, except that nothing is launched: executions end as the course says, and
 * the clock jumps from one event to the next. Code is evaluated for real; scripts and actions take no time.
 */
export class SimulatedWorker {
  private readonly engine: Engine;
  private readonly workflowId: number;
  private readonly clock: { now: number };
  private readonly course: SimulatedCourse;
  private readonly evaluations: Evaluations;
  private readonly outbox = new Outbox();
  private readonly running = new Map<number, Execution>();
  /** Ended, but not decided about. */
  private readonly reported = new Map<number, { execution: Execution; report: FinishReport }>();
  private executions = 0;

  /** The clock is the engine's. */
  constructor(engine: Engine, workflowId: number, clock: { now: number }, course: SimulatedCourse) {
    this.engine = engine;
    this.workflowId = workflowId;
    this.clock = clock;
    this.course = course;
    this.evaluations = new Evaluations({
      now: () => clock.now,
      logs: ({ token }) => ({ written: writtenBy(this.reported.get(token)?.execution.played) }),
    });
  }

  /** Plays the workflow to its end. */
  async run(): Promise<SimulatedEnd> {
    const { id } = await this.engine.registerWorker(ownIdentity());
    await this.engine.adopt(this.workflowId, id);
    try {
      for (;;) {
        const result = await this.engine.exchange(id, {
          ...this.outbox.take(),
          capacity: { ...PLENTY },
          workflow_id: this.workflowId,
        });
        await this.carryOut(result);
        if (this.executions > this.course.maxExecutions) return 'endless';
        if (result.claims.length > 0 || this.outbox.urgent > 0) continue;
        if (!this.pass(result.next_due_at_ms)) return await this.end();
      }
    } finally {
      await this.evaluations.stop();
    }
  }

  private async end(): Promise<SimulatedEnd> {
    const status = await this.engine.status(this.workflowId);
    if (status.complete) return 'complete';
    return status.exit_code === 3 ? 'waiting' : 'stuck';
  }

  /** Everything that takes no time. */
  private async carryOut(result: ExchangeResult): Promise<void> {
    for (const order of result.evaluate) {
      if (order.of === 'attempt') {
        const { execution, report } = this.reported.get(order.token)!;
        this.report(execution, await this.evaluations.ofAttempt(order, execution.claim, report));
      } else {
        const answer = await this.evaluations.ofRoute(order);
        this.evaluations.answered(order.token);
        if (answer !== null) this.outbox.add('evaluated', answer);
      }
    }
    for (const token of result.post) {
      const { execution, report } = this.reported.get(token)!;
      this.report(execution, { ...report, post: execution.played.post ?? crashedPost('simulated') });
    }
    const succeeded = outcome({ exitCode: 0 });
    for (const { token } of result.recover) this.outbox.add('recovered', { token, outcome: succeeded });
    for (const { action_id } of result.act) this.outbox.add('acted', { action_id, outcome: succeeded });
    for (const token of result.cancel) this.cancel(token);
    for (const claim of result.claims) await this.start(claim);
  }

  private async start(claim: Claim): Promise<void> {
    const { now } = this.clock;
    const refusal = await this.evaluations.refusal(claim);
    if (refusal !== null) {
      const played = { told: '', outcome: outcome(refusal), started: false, post: null, stderrMatches: [] };
      this.finish({ claim, startedAt: null, endsAt: now, played }, played.outcome);
      return;
    }
    this.executions += 1;
    const played = this.course.next(claim);
    const timeoutMs = played.outcome.timedOut ? claim.config.timeoutMs : null;
    const execution: Execution = {
      claim,
      startedAt: played.started ? now : null,
      endsAt: played.started ? now + (timeoutMs ?? this.course.durationMs) : now,
      played,
    };
    this.running.set(claim.token, execution);
    if (played.started) this.outbox.add('started', { token: claim.token, started_at_ms: now });
  }

  /** To the next event; false if nothing will ever happen. */
  private pass(nextDueAt: number | null): boolean {
    const ends = [...this.running.values()].map(({ endsAt }) => endsAt);
    // What is due and was not claimed now will not be claimed before something else happens.
    if (nextDueAt !== null && nextDueAt > this.clock.now) ends.push(nextDueAt);
    if (ends.length === 0) return false;
    this.clock.now = Math.max(this.clock.now, Math.min(...ends));
    for (const execution of [...this.running.values()]) {
      if (execution.endsAt <= this.clock.now) this.finish(execution, execution.played.outcome);
    }
    return true;
  }

  private cancel(token: number): void {
    const execution = this.running.get(token);
    if (execution !== undefined) this.finish(execution, outcome({ canceled: true, signal: 'SIGTERM' }));
  }

  private finish(execution: Execution, facts: Outcome): void {
    const { claim, startedAt, played } = execution;
    this.running.delete(claim.token);
    const succeeded = causeOf(facts) === null && claim.config.output !== null;
    this.report(execution, {
      token: claim.token,
      started_at_ms: startedAt,
      finished_at_ms: this.clock.now,
      outcome: facts,
      usage: null,
      stderr_matches: [...played.stderrMatches],
      ...(succeeded && { output: this.course.output(claim) }),
    });
  }

  private report(execution: Execution, report: FinishReport): void {
    this.evaluations.addCondition(report);
    this.reported.set(report.token, { execution, report });
    this.outbox.add('finished', report);
  }
}

/** What an outcome such as `75:licence busy` says that the attempt wrote. */
function writtenBy(played: SimulatedOutcome | undefined): LogTails {
  return { stdout: '', stderr: played === undefined ? '' : played.told.replace(/^[^:]*:?/, '') };
}
