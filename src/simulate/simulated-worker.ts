import type { Engine } from '../contract/engine.ts';
import type { ErrandOrder, ErrandReport, PostOrder } from '../contract/records/errand.ts';
import type { Capacity, Claim, ExchangeResult, FinishReport } from '../contract/records/exchange.ts';
import { causeOf, type Outcome, outcome } from '../core/job/outcome.ts';
import { crashedPost, type PostResult } from '../core/job/post-result.ts';
import { ownIdentity } from '../host/process-identity.ts';
import { Outbox } from '../worker/exchange/outbox.ts';
import type { LogTails } from '../worker/execute/code-evaluator.ts';
import { Evaluations } from '../worker/execute/evaluations.ts';
import type { SimulatedOutcome } from './simulated-outcome.ts';

/** What happens in a simulation. */
export interface SimulatedCourse {
  /** How the next execution of the job ends, at a site; null stops the simulation before it. */
  next(claim: Claim, site: string): SimulatedOutcome | null | Promise<SimulatedOutcome | null>;
  /** What a success of the step puts out. */
  output(claim: Claim): unknown;
  /** How long an execution takes. */
  durationMs(claim: Claim): number;
  /** A recovery script was ordered for the attempt with this token; it succeeds at once. */
  recovers?(token: number, script: string): void;
  /** What a post step returns that the outcome says nothing about; it crashes otherwise. */
  post?(order: PostOrder, claim: Claim, played: SimulatedOutcome): PostResult;
  /** Where to stop, so that an endless loop has an end. */
  maxExecutions: number;
}

interface Execution {
  claim: Claim;
  startedAt: number | null;
  endsAt: number;
  played: SimulatedOutcome;
}

/** Room for everything: only the limits that the workflow itself has count. */
const PLENTY: Capacity = { cpus: 1e6, memory_bytes: 4e15, gpus: 1e6, slots: 1e6, default_cpus: 1 };

export interface SimulatedPlace {
  /** All that the jobs ask for. */
  labels?: string[];
  site?: string;
  /** Whose run it drives; absent: it takes jobs of every shared workflow. */
  workflowId?: number;
}

/** What an exchange led to. */
export interface SimulatedMoment {
  /** Another exchange may lead to more at the same time. */
  isBusy: boolean;
  /** When the next waiting job becomes due; null if none waits. */
  nextDueAt: number | null;
}

/**
 * Does what a worker does, except that nothing is launched: executions end as the course says. Code is evaluated for real;
 * scripts and actions take no time. The clock is moved by others (`playWorkers`).
 */
export class SimulatedWorker {
  readonly #engine: Engine;
  readonly #clock: { now: number };
  readonly #course: SimulatedCourse;
  readonly #place: SimulatedPlace;
  readonly #evaluations: Evaluations;
  readonly #outbox = new Outbox();
  readonly #running = new Map<number, Execution>();
  /** Ended, but not decided about. */
  readonly #reported = new Map<number, { execution: Execution; report: FinishReport }>();
  /** Those of them that the engine has heard of. */
  readonly #sent = new Set<number>();
  #id: number | null = null;
  /** Executions that have begun. */
  executions = 0;
  /** The course has no outcome for an execution. */
  isStopped = false;

  /** The clock is the engine's. */
  constructor(engine: Engine, clock: { now: number }, course: SimulatedCourse, place: SimulatedPlace = {}) {
    this.#engine = engine;
    this.#clock = clock;
    this.#course = course;
    this.#place = place;
    this.#evaluations = new Evaluations({
      now: () => clock.now,
      logs: ({ token }) => ({ written: writtenBy(this.#reported.get(token)?.execution.played) }),
    });
  }

  /** One exchange, and everything in its answer that takes no time. It takes at most so many jobs. */
  async exchange(slots = PLENTY.slots): Promise<SimulatedMoment> {
    this.#id ??= await this.#enter();
    const { workflowId } = this.#place;
    const reports = this.#outbox.take();
    for (const { token } of reports.finished) this.#sent.add(token);
    const result = await this.#engine.exchange(this.#id, {
      ...reports,
      capacity: { ...PLENTY, slots },
      ...(workflowId !== undefined && { workflow_id: workflowId }),
    });
    this.#forgetDecided(result);
    await this.#carryOut(result);
    return {
      isBusy: result.claims.length > 0 || this.#outbox.urgent > 0,
      nextDueAt: result.next_due_at_ms,
    };
  }

  /** When the next of its executions ends; null if none runs. */
  nextEnd(): number | null {
    const ends = [...this.#running.values()].map(({ endsAt }) => endsAt);
    return ends.length === 0 ? null : ends.reduce((a, b) => Math.min(a, b));
  }

  /** Ends the executions whose time has come. */
  endDue(): void {
    for (const execution of [...this.#running.values()]) {
      if (execution.endsAt <= this.#clock.now) this.#finish(execution, execution.played.outcome);
    }
  }

  async stop(): Promise<void> {
    await this.#evaluations.stop();
  }

  async #enter(): Promise<number> {
    const { labels = [], site, workflowId } = this.#place;
    if (workflowId !== undefined) {
      const { id } = await this.#engine.registerWorker(ownIdentity({ labels }));
      await this.#engine.adopt(workflowId, id);
      return id;
    }
    const { cpus, memory_bytes, gpus } = PLENTY;
    const { id } = await this.#engine.registerWorker(
      ownIdentity({ kind: 'service', labels, cpus, memory_bytes, gpus, ...(site !== undefined && { site }) }),
    );
    return id;
  }

  /** Errands are answered with the next exchange: an attempt without one is decided. */
  #forgetDecided({ errands }: ExchangeResult): void {
    const asked = new Set(errands.map((order) => ('token' in order ? order.token : null)));
    for (const token of this.#sent) {
      if (asked.has(token)) continue;
      this.#sent.delete(token);
      this.#reported.delete(token);
    }
  }

  /** Everything that takes no time. */
  async #carryOut(result: ExchangeResult): Promise<void> {
    for (const order of result.errands) this.#outbox.add('errands', await this.#doErrand(order));
    for (const token of result.cancel) this.#cancel(token);
    for (const claim of result.claims) await this.#start(claim);
  }

  async #doErrand(order: ErrandOrder): Promise<ErrandReport> {
    const { kind, id } = order;
    if (kind === 'recovery') this.#course.recovers?.(order.token, order.script);
    if (kind === 'recovery' || kind === 'action' || kind === 'outputs') {
      return { kind, id, outcome: outcome({ exit_code: 0 }) };
    }
    const reported = this.#reported.get(order.token);
    if (kind === 'post') {
      const { claim, played } = reported!.execution;
      const post = played.post ?? this.#course.post?.(order, claim, played) ?? crashedPost('simulated');
      return { kind, id, post };
    }
    const attempt = reported && { claim: reported.execution.claim, report: reported.report };
    return { kind, id, evaluations: await this.#evaluations.evaluate(order, attempt) };
  }

  async #start(claim: Claim): Promise<void> {
    const { now } = this.#clock;
    const refusal = await this.#evaluations.refusal(claim);
    if (refusal !== null) {
      const played = { given: '', outcome: outcome(refusal), started: false, post: null, stderrMatches: [] };
      this.#finish({ claim, startedAt: null, endsAt: now, played }, played.outcome);
      return;
    }
    const next = await this.#course.next(claim, this.#place.site ?? 'local');
    if (next === null) {
      this.isStopped = true;
      return;
    }
    this.executions += 1;
    const timeoutMs = next.outcome.timed_out ? claim.config.timeout_ms : null;
    const played =
      timeoutMs === null ? next : { ...next, outcome: { ...next.outcome, time_limit_ms: timeoutMs } };
    const execution: Execution = {
      claim,
      startedAt: played.started ? now : null,
      endsAt: played.started ? now + (timeoutMs ?? this.#course.durationMs(claim)) : now,
      played,
    };
    this.#running.set(claim.token, execution);
    if (played.started) this.#outbox.add('started', { token: claim.token, started_at_ms: now });
  }

  #cancel(token: number): void {
    const execution = this.#running.get(token);
    if (execution !== undefined) this.#finish(execution, outcome({ canceled: true, signal: 'SIGTERM' }));
  }

  #finish(execution: Execution, facts: Outcome): void {
    const { claim, startedAt, played } = execution;
    this.#running.delete(claim.token);
    const succeeded = causeOf(facts) === null && claim.config.output !== null;
    this.#report(execution, {
      token: claim.token,
      started_at_ms: startedAt,
      finished_at_ms: this.#clock.now,
      outcome: facts,
      usage: null,
      stderr_matches: [...played.stderrMatches],
      ...(succeeded && { output: this.#course.output(claim) }),
    });
  }

  #report(execution: Execution, report: FinishReport): void {
    this.#evaluations.addCondition(report);
    this.#reported.set(report.token, { execution, report });
    this.#outbox.add('finished', report);
  }
}

/** What an outcome such as `75:licence busy` says that the attempt wrote. */
function writtenBy(played: SimulatedOutcome | undefined): LogTails {
  return { stdout: '', stderr: played === undefined ? '' : played.given.replace(/^[^:]*:?/, '') };
}
