import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Claim } from '../../src/contract/records/exchange.ts';
import type { AttemptRecord, RouteTaken } from '../../src/contract/records/records.ts';
import { jobLabel } from '../../src/core/job/job-label.ts';
import { TERMINAL_STATUSES } from '../../src/core/job/job-status.ts';
import type { WorkflowModel } from '../../src/core/model/workflow-model.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { courses } from '../property-runs.ts';
import { RoutingHand } from './routing-world.ts';

const MAX_LOOPS = 3;
const NOW = 'backoff: { delay_ms: 0 }';

/** Items with re-attempts, gotos, steps on call and joins, nested; and a goto above all of them. */
const SPEC = `
routing: { max_loops: ${MAX_LOOPS} }
steps:
  start: { exec: start }
  list: { exec: list, forEach: true, depends_on: start }
  a: { exec: "a {{ outputs.list }}", depends_on: list, on_success: { run: [note] } }
  parts: { exec: "parts {{ outputs.a }}", forEach: true, depends_on: a, on_fail: { goto: a } }
  leaf: { exec: "leaf {{ outputs.parts }}", depends_on: parts, on_fail: { run: [fix], retry: { ${NOW} } } }
  inner: { exec: "{{ outputs.leaf }} {{ failures.leaf }}", depends_on: leaf, fanout: reduce, on_fail: { goto: parts } }
  b: { exec: "b {{ outputs.inner }}", depends_on: inner, continue_on_failure: true }
  beside: { exec: beside, depends_on: a, on_fail: { goto: a } }
  outer: { exec: "{{ outputs.b }} {{ failures.b }}", depends_on: b, fanout: reduce }
  check: { exec: check, depends_on: outer, on_fail: { retry: { max: 1, ${NOW} }, goto: start } }
  fix: { exec: "fix {{ foreach.path }}" }
  note: { exec: note }
`;

function model(): WorkflowModel {
  const loaded = loadSpec(SPEC, 'items.yaml');
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'));
  return loaded.model;
}

/** Steps that do not fail, because too little would be left of the run. */
const SURE = new Set(['start', 'list', 'a']);

type Move =
  | { do: 'claim'; slots: number }
  | { do: 'finish'; pick: number; fails: boolean; items: number }
  | { do: 'stop'; pick: number }
  | { do: 'lose' };

const anyMove: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('claim' as const), slots: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('finish' as const),
      pick: fc.nat(7),
      fails: fc.constantFrom(false, false, true),
      items: fc.constantFrom(0, 1, 2, 3, 2),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const), pick: fc.nat(7) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lose' as const) }) },
);

const labelOf = ({ job_name, scope }: Pick<AttemptRecord, 'job_name' | 'scope'>) =>
  jobLabel({ name: job_name, scope });

/** Plays moves and checks what must be true of items and joins. */
class ItemsPlay {
  readonly #hand: RoutingHand;
  /** What each job put out last, by its label. */
  readonly #outputs = new Map<string, unknown>();

  constructor(hand: RoutingHand) {
    this.#hand = hand;
  }

  async take(move: Move): Promise<void> {
    if (await this.#isComplete()) return;
    const held = [...this.#hand.held.values()];
    const chosen = 'pick' in move ? held[move.pick % Math.max(held.length, 1)] : undefined;
    if (move.do === 'claim') await this.#claim(move.slots);
    else if (move.do === 'lose') await this.#hand.lose();
    else if (chosen === undefined) return;
    else if (move.do === 'stop') await this.#hand.finish(chosen.token, { stopped: true, signal: 'SIGTERM' });
    else await this.#finish(chosen, move.fails, move.items);
    await this.#check();
  }

  /** From here on everything succeeds; the run must end. */
  async drain(): Promise<void> {
    for (let round = 0; round < 300; round += 1) {
      if (await this.#isComplete()) return;
      await this.#claim(3);
      if (this.#hand.held.size === 0) {
        // A job that was lost three times in a row waits before it runs again.
        const due = await this.#hand.nextDue();
        expect(due, 'nothing runs or will run, and yet it is not complete').not.toBeNull();
        this.#hand.world.clock.now = due!;
        continue;
      }
      for (const claim of [...this.#hand.held.values()]) await this.#finish(claim, false, 2);
      await this.#check();
    }
    expect.unreachable('the run does not end');
  }

  async #isComplete(): Promise<boolean> {
    return (await this.#hand.world.engine.status(this.#hand.world.workflowId)).complete;
  }

  async #finish(claim: Claim, fails: boolean, items: number): Promise<void> {
    const label = labelOf(claim);
    const succeeds = !fails || SURE.has(claim.job_name);
    const list = Array.from({ length: items }, (_, index) => `${label}#${claim.attempt_id}.${index}`);
    const output = claim.config.for_each ? list : `${label}#${claim.attempt_id}`;
    if (succeeds) this.#outputs.set(label, output);
    await this.#hand.start(claim.token);
    await this.#hand.finish(claim.token, { exit_code: succeeds ? 0 : 1 }, succeeds ? output : undefined);
  }

  async #claim(slots: number): Promise<void> {
    const claims = await this.#hand.claim(slots);
    if (claims.length === 0) return;
    const jobs = new Map((await this.#hand.world.jobs()).map((job) => [jobLabel(job), job]));
    for (const claim of claims) {
      expect(claim.scope, 'no blueprint is run').not.toContain('*');
      this.#checkInputs(claim);
      const joined = { inner: 'leaf', outer: 'b' }[claim.job_name];
      if (joined === undefined) continue;
      const items = [...jobs.values()].filter(
        ({ name, scope }) => name === joined && scope.split('/').slice(0, -1).join('/') === claim.scope,
      );
      for (const { status } of items) expect(TERMINAL_STATUSES, `${joined} of a join`).toContain(status);
      const good = items
        .filter(({ status }) => status === 'completed')
        .map((job) => this.#outputs.get(jobLabel(job)));
      expect(claim.outputs[joined], 'what succeeded, in item order').toEqual(good);
      const bad = items.filter(({ status }) => status !== 'completed' && status !== 'disabled');
      expect(claim.failures[joined]?.map(({ index, status }) => [index, status])).toEqual(
        bad.map(({ scope, status }) => [Number(/\[(\d+)\]$/.exec(scope)![1]), status]),
      );
    }
  }

  /** A step sees its own item and what was put out in it, and nothing of other items. */
  #checkInputs(claim: Claim): void {
    const scopes = claim.scope === '' ? [] : claim.scope.split('/');
    if (claim.config.template) expect(claim.foreach?.path ?? '').toBe(claim.scope);
    for (const [depth, part] of scopes.entries()) {
      const [, name, index] = /^(\w+)\[(\d+)\]$/.exec(part)!;
      if (!(name! in claim.outputs)) continue;
      const producer = jobLabel({ name: name!, scope: scopes.slice(0, depth).join('/') });
      const list = this.#outputs.get(producer) as unknown[];
      expect(claim.outputs[name!], `item of ${labelOf(claim)}`).toBe(list[Number(index)]);
    }
    if ('a' in claim.outputs) {
      expect(claim.outputs.a).toBe(this.#outputs.get(jobLabel({ name: 'a', scope: scopes[0]! })));
    }
  }

  async #check(): Promise<void> {
    const attempts = await this.#hand.world.attempts();
    const live = attempts.filter(({ finished_at_ms }) => finished_at_ms === null).map(labelOf);
    expect(new Set(live).size, 'at most one live attempt per job').toBe(live.length);
    for (const { data, scope } of await this.#hand.world.events()) {
      const route = data.route as RouteTaken | undefined;
      if (route !== undefined) expect(route.loop, `loops in ${scope}`).toBeLessThanOrEqual(MAX_LOOPS);
    }
    expect(await this.#hand.miscounted(), 'counters equal a recount').toEqual([]);
    if (!(await this.#isComplete())) return;
    expect(live).toEqual([]);
    expect(await this.#hand.openCalls()).toEqual([]);
    for (const { status } of await this.#hand.world.jobs()) expect(TERMINAL_STATUSES).toContain(status);
  }
}

test('items, nested items and joins keep their invariants in any interleaving, and every run ends', async () => {
  const spec = model();
  await fc.assert(
    fc.asyncProperty(fc.array(anyMove, { minLength: 60, maxLength: 120 }), async (moves) => {
      const hand = await RoutingHand.create(spec);
      try {
        const play = new ItemsPlay(hand);
        for (const move of moves) await play.take(move);
        await play.drain();
        const ends = (await hand.world.events()).filter(({ type }) => type === 'run_finished');
        expect(ends).toHaveLength(1);
      } finally {
        await hand.close();
      }
    }),
    { numRuns: courses(40) },
  );
});
