import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AttemptRecord, EventRecord, RouteTaken } from '../../src/contract/records/records.ts';
import { TERMINAL_STATUSES } from '../../src/core/job/job-status.ts';
import { courses } from '../property-runs.ts';
import type { Databases } from './engine-world.ts';
import { anySteps, type RoutedStep, routingModel } from './routing-model.ts';
import { type CodeAnswer, RoutingHand } from './routing-world.ts';

type Move =
  | { do: 'claim'; slots: number }
  | { do: 'start'; pick: number }
  | { do: 'finish'; pick: number; code: number }
  | { do: 'stop'; pick: number }
  | { do: 'answer'; run: CodeAnswer; goto: CodeAnswer; fail: CodeAnswer }
  | { do: 'lose' }
  | { do: 'cancel'; pick: number };

const anyName = fc.constantFrom('s0', 's1', 's2', 's3', 's4', 's5', 's6');
const fails = fc.constant('fails' as const);
const anyRun: fc.Arbitrary<CodeAnswer> = fc.oneof(
  fc.array(anyName, { maxLength: 2 }).map((value) => ({ value })),
  fc.constantFrom<CodeAnswer>({ value: null }, { value: 's0' }, { value: [1] }),
  fails,
);
const anyGoto: fc.Arbitrary<CodeAnswer> = fc.oneof(
  anyName.map((value) => ({ value })),
  fc.constantFrom<CodeAnswer>({ value: null }, { value: false }, { value: 7 }),
  fails,
);

const anyFail: fc.Arbitrary<CodeAnswer> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<CodeAnswer>({ value: false }) },
  { weight: 2, arbitrary: fc.constant<CodeAnswer>({ value: true }) },
  { weight: 1, arbitrary: fails },
);

function weighted(weight: number, arbitrary: fc.Arbitrary<Move>): fc.WeightedArbitrary<Move> {
  return { weight, arbitrary };
}

const anyMove: fc.Arbitrary<Move> = fc.oneof(
  weighted(6, fc.record({ do: fc.constant('claim'), slots: fc.integer({ min: 1, max: 4 }) })),
  weighted(1, fc.record({ do: fc.constant('start'), pick: fc.nat(6) })),
  weighted(9, fc.record({ do: fc.constant('finish'), pick: fc.nat(6), code: fc.constantFrom(0, 1) })),
  weighted(1, fc.record({ do: fc.constant('stop'), pick: fc.nat(6) })),
  weighted(4, fc.record({ do: fc.constant('answer'), run: anyRun, goto: anyGoto, fail: anyFail })),
  weighted(1, fc.record({ do: fc.constant('lose') })),
  weighted(1, fc.record({ do: fc.constant('cancel'), pick: fc.nat(60) })),
);

/** Plays moves with whatever is held at the moment, and keeps what must not change. */
class Play {
  readonly #hand: RoutingHand;
  readonly #steps: readonly RoutedStep[];
  readonly #maxLoops: number;
  #seen = new Map<string, AttemptRecord>();
  /** How many attempts of a step were made before the last goto that runs it again. */
  readonly #stale = new Map<string, number>();
  #events = 0;

  constructor(hand: RoutingHand, steps: readonly RoutedStep[], maxLoops: number) {
    this.#hand = hand;
    this.#steps = steps;
    this.#maxLoops = maxLoops;
  }

  async take(move: Move): Promise<void> {
    if (await this.#isComplete()) return;
    const held = [...this.#hand.held.keys()];
    const chosen = 'pick' in move ? held[move.pick % Math.max(held.length, 1)] : undefined;
    switch (move.do) {
      case 'claim':
        await this.#claim(move.slots);
        break;
      case 'start':
        if (chosen !== undefined) await this.#hand.start(chosen);
        break;
      case 'finish':
        if (chosen !== undefined) await this.#finish(chosen, move.code);
        break;
      case 'stop':
        if (chosen !== undefined) await this.#hand.finish(chosen, { stopped: true, signal: 'SIGTERM' });
        break;
      case 'answer':
        await this.#hand.answer({ run_js: move.run, goto_js: move.goto, fail_if: move.fail });
        break;
      case 'lose':
        await this.#hand.lose();
        break;
      case 'cancel': {
        const step = this.#steps[move.pick];
        if (step === undefined) break;
        await this.#hand.world.engine.cancel(this.#hand.world.workflowId, {
          actor: 'test',
          jobs: [step.name],
        });
        break;
      }
    }
    await this.check();
  }

  /** From here on everything succeeds and code wants nothing; the run must end. */
  async drain(): Promise<void> {
    for (let round = 0; round < 400; round += 1) {
      if (await this.#isComplete()) return;
      await this.#claim(3);
      if (this.#hand.open.length === 0) {
        const due = await this.#hand.nextDue();
        if (this.#hand.open.length === 0) {
          // The exchanges themselves may have decided the last attempt.
          if (await this.#isComplete()) return await this.check();
          expect(due, 'nothing runs, nothing is due, and yet it is not complete').not.toBeNull();
          this.#hand.world.clock.now = due!;
        }
      }
      for (const token of [...this.#hand.held.keys()]) await this.#finish(token, 0);
      await this.#hand.answer({
        run_js: { value: [] },
        goto_js: { value: false },
        fail_if: { value: false },
      });
      await this.check();
    }
    expect.unreachable('the run does not end');
  }

  async #isComplete(): Promise<boolean> {
    return (await this.#hand.world.engine.status(this.#hand.world.workflowId)).complete;
  }

  async #finish(token: number, exitCode: number): Promise<void> {
    await this.#hand.start(token);
    await this.#hand.finish(token, { exit_code: exitCode });
  }

  async #claim(slots: number): Promise<void> {
    const claims = await this.#hand.claim(slots);
    expect(claims.length).toBeLessThanOrEqual(slots);
    const attempts = await this.#hand.world.attempts();
    for (const { job_name, attempt_id } of claims) {
      const { caller } = attempts.find(
        (attempt) => attempt.job_name === job_name && attempt.attempt_id === attempt_id,
      )!;
      if (caller === null) this.#checkDependencies(this.#step(job_name), attempts);
      else this.#checkCaller(this.#step(caller), job_name);
    }
  }

  /** A planned attempt starts only when everything its step waits for has succeeded since the last goto above. */
  #checkDependencies(step: RoutedStep, attempts: AttemptRecord[]): void {
    expect(step.onCall, `${step.name} is only run when called`).toBe(false);
    for (const name of step.after) {
      const own = attempts.filter(({ job_name }) => job_name === name).slice(this.#stale.get(name) ?? 0);
      const planned = own.filter(({ caller, verdict }) => caller === null && verdict !== 'supersede');
      expect(planned.at(-1)?.state, `${step.name} waits for ${name}`).toBe('SUCCEEDED');
    }
  }

  #checkCaller(caller: RoutedStep, name: string): void {
    const called = [...(caller.onFail?.run ?? []), ...(caller.onSuccess?.run ?? [])];
    if (caller.asksRun !== true) expect(called, `${caller.name} calls ${name}`).toContain(name);
    expect(caller.name).not.toBe(name);
  }

  async check(): Promise<void> {
    const attempts = await this.#hand.world.attempts();
    this.#checkAttempts(attempts);
    this.#checkEvents((await this.#hand.world.events()).slice(this.#events), attempts);
    expect(await this.#hand.miscounted(), 'counters equal a recount').toEqual([]);
    if (await this.#isComplete()) await this.#checkEnd(attempts);
  }

  #checkAttempts(attempts: AttemptRecord[]): void {
    const now = new Map(attempts.map((attempt) => [`${attempt.job_id} ${attempt.attempt_id}`, attempt]));
    for (const [key, before] of this.#seen) {
      const { outcome, caller, visit, finished_at_ms, cause } = before;
      if (finished_at_ms === null) expect(now.has(key), 'attempts only grow').toBe(true);
      else
        expect(now.get(key), 'ends never change').toMatchObject({
          outcome,
          caller,
          visit,
          finished_at_ms,
          cause,
        });
    }
    this.#seen = now;
    const live = attempts.filter(({ finished_at_ms }) => finished_at_ms === null).map(({ job_id }) => job_id);
    expect(new Set(live).size, 'at most one live attempt per job').toBe(live.length);
    for (const { job_name, visit } of attempts) {
      const retried = attempts.filter(
        (attempt) =>
          attempt.job_name === job_name && attempt.visit === visit && attempt.route?.kind === 'retry',
      );
      const max = this.#step(job_name).onFail?.max ?? 0;
      expect(retried.length, `re-attempts of a visit of ${job_name}`).toBeLessThanOrEqual(Math.max(max, 1));
    }
  }

  #checkEvents(fresh: EventRecord[], attempts: AttemptRecord[]): void {
    this.#events += fresh.length;
    for (const { type, data } of fresh) {
      const route = data.route as RouteTaken | undefined;
      if (route === undefined) continue;
      expect(route.max_loops).toBe(this.#maxLoops);
      expect(route.loop, 'routes taken').toBeLessThanOrEqual(this.#maxLoops);
      if (type !== 'goto') continue;
      for (const step of this.#steps) {
        if (!this.#comesAfter(step, route.target!)) continue;
        this.#stale.set(step.name, attempts.filter(({ job_name }) => job_name === step.name).length);
      }
    }
  }

  async #checkEnd(attempts: AttemptRecord[]): Promise<void> {
    expect(attempts.filter(({ finished_at_ms }) => finished_at_ms === null)).toEqual([]);
    expect(await this.#hand.openCalls()).toEqual([]);
    for (const { name, status } of await this.#hand.world.jobs()) {
      expect(TERMINAL_STATUSES, `${name} is ${status}`).toContain(status);
    }
  }

  #comesAfter(step: RoutedStep, target: string): boolean {
    if (step.onCall) return false;
    return step.name === target || step.after.some((name) => this.#comesAfter(this.#step(name), target));
  }

  #step(name: string): RoutedStep {
    return this.#steps.find((step) => step.name === name)!;
  }
}

/** `runs` random workflows with routes, played in random order, on any database. */
export function routingInvariants(databases: Databases, runs: number): void {
  async function playAll(steps: RoutedStep[], maxLoops: number, moves: Move[]): Promise<void> {
    const hand = await RoutingHand.create(routingModel(steps, maxLoops), databases);
    try {
      const play = new Play(hand, steps, maxLoops);
      await play.check();
      for (const move of moves) await play.take(move);
      await play.drain();
      const ends = (await hand.world.events()).filter(({ type }) => type === 'run_finished');
      expect(ends).toHaveLength(1);
    } finally {
      await hand.close();
    }
  }

  test('invariants hold under routing after every move of any interleaving, and every run ends', async () => {
    await fc.assert(
      fc.asyncProperty(anySteps, fc.nat(8), fc.array(anyMove, { minLength: 20, maxLength: 60 }), playAll),
      {
        numRuns: courses(runs),
      },
    );
  });

  test('a goto whose target is canceled while it waits takes what it overtook with it', async () => {
    const step = { onCall: false, outcomes: [], onSuccess: null };
    const back = { onFail: { max: 0, run: [], goto: 's0' } };
    const steps = [
      { ...step, name: 's0', after: [], onFail: null },
      { ...step, name: 's1', after: ['s0'], ...back },
      { ...step, name: 's2', after: ['s0'], ...back },
    ];
    await playAll(steps, 1, [
      { do: 'claim', slots: 1 },
      { do: 'finish', pick: 0, code: 0 },
      { do: 'claim', slots: 2 },
      { do: 'finish', pick: 0, code: 1 },
      { do: 'cancel', pick: 0 },
      { do: 'stop', pick: 0 },
    ]);
  });

  test('a run ends with the overtaken call whose code no worker evaluates, after its caller was canceled', async () => {
    const step = { after: [], onCall: false, outcomes: [], onSuccess: null };
    const steps = [
      { ...step, name: 's1', onFail: { max: 0, run: [], goto: null }, asksRun: true },
      { ...step, name: 's3', onFail: { max: 0, run: ['s1'], goto: null } },
    ];
    await playAll(steps, 1, [
      { do: 'claim', slots: 1 },
      { do: 'finish', pick: 0, code: 0 },
      { do: 'claim', slots: 1 },
      { do: 'finish', pick: 0, code: 1 },
      { do: 'claim', slots: 1 },
      { do: 'finish', pick: 0, code: 1 },
      { do: 'lose' },
      { do: 'cancel', pick: 1 },
    ]);
  });

  test('invariants hold under routing when the worker is killed between any two moves', async () => {
    const lose: Move = { do: 'lose' };
    await fc.assert(
      fc.asyncProperty(
        anySteps,
        fc.nat(8),
        fc.array(anyMove, { minLength: 10, maxLength: 30 }),
        (steps, maxLoops, moves) =>
          playAll(
            steps,
            maxLoops,
            moves.flatMap((move) => [move, lose]),
          ),
      ),
      { numRuns: courses(runs * 0.4) },
    );
  });
}
