import { describe, expect, onTestFinished, test } from 'vitest';
import { modelOf } from '../spec/spec-text.ts';
import type { Databases } from './engine-world.ts';
import { RoutingHand } from './routing-world.ts';

/** One item whose b is joined while `beside` can still send the item back to a. */
const spec = (join: string, more = '') => `
use_pending_failed: ${join.includes('ask')}
steps:
  list: { exec: list, forEach: true }
  a: { exec: a, depends_on: list }
  b: { exec: b, depends_on: a }
  beside: { exec: beside, depends_on: a, on_fail: { goto: a } }
  join: { exec: "join {{ outputs.b }}", fanout: reduce, depends_on: b${join === 'ask' ? '' : join} }
  ${more}
`;

/** The join has been claimed, with the first output of b; `beside` runs. */
class Joining {
  readonly hand: RoutingHand;
  readonly #tokens = new Map<string, number>();

  private constructor(hand: RoutingHand) {
    this.hand = hand;
  }

  static async create(databases: Databases, join: string, more?: string): Promise<Joining> {
    const hand = await RoutingHand.create(modelOf(spec(join, more)), databases);
    onTestFinished(() => hand.close());
    const joining = new Joining(hand);
    expect(await hand.play({ list: { output: ['x'] } })).toEqual(['list']);
    expect(await hand.play()).toEqual(['a']);
    await joining.claim('b', 'beside');
    await joining.end('b', 0, 'first');
    return joining;
  }

  /** The jobs that can be claimed, which must be these, are claimed and started. */
  async claim(...names: string[]): Promise<void> {
    const claims = await this.hand.claim(10);
    expect(claims.map(({ job_name }) => job_name)).toEqual(names);
    for (const { token, job_name } of claims) {
      await this.hand.start(token);
      this.#tokens.set(job_name, token);
    }
  }

  async end(name: string, exitCode: number, output?: unknown): Promise<void> {
    await this.hand.finish(this.#tokens.get(name)!, { exit_code: exitCode }, output);
  }

  async stop(name: string): Promise<void> {
    await this.hand.finish(this.#tokens.get(name)!, { stopped: true, signal: 'SIGTERM' });
  }

  /** The item runs again, from a on. */
  goBack(): Promise<void> {
    return this.end('beside', 1);
  }

  async status(): Promise<string> {
    return (await this.hand.world.job('join')).status;
  }

  /** The item ends; only then can the join be claimed, and it sees the new output. */
  async expectJoinAfterItem(): Promise<void> {
    expect(await this.status()).toBe('blocked');
    expect(await this.hand.play()).toEqual(['a']);
    await this.claim('b', 'beside');
    expect(await this.status()).toBe('blocked');
    await this.end('b', 0, 'second');
    const claims = await this.hand.claim(10);
    expect(claims.map(({ job_name, outputs }) => [job_name, outputs.b])).toEqual([['join', ['second']]]);
    await this.hand.finish(claims[0]!.token, { exit_code: 0 });
    await this.end('beside', 0);
    const { engine, workflowId } = this.hand.world;
    expect(await engine.status(workflowId)).toMatchObject({ complete: true });
    expect(await this.hand.miscounted()).toEqual([]);
  }
}

/** A join is claimed only when all that it joins has ended, however it came to be ready again. */
export function joinBehaviour(databases: Databases): void {
  describe('a join whose item runs again waits for it', () => {
    test('when it was ready and nobody had claimed it', async () => {
      const joining = await Joining.create(databases, '');
      await joining.goBack();
      await joining.expectJoinAfterItem();
    });

    test('when its attempt is stopped afterwards', async () => {
      const joining = await Joining.create(databases, '');
      await joining.claim('join');
      await joining.goBack();
      await joining.stop('join');
      await joining.expectJoinAfterItem();
    });

    test('when its attempt was stopped before', async () => {
      const joining = await Joining.create(databases, '');
      await joining.claim('join');
      await joining.stop('join');
      expect(await joining.status()).toBe('ready');
      await joining.goBack();
      await joining.expectJoinAfterItem();
    });

    test('when its attempt is lost', async () => {
      const joining = await Joining.create(databases, '');
      await joining.claim('join');
      await joining.goBack();
      await joining.hand.lose();
      await joining.expectJoinAfterItem();
    });

    test('when its claim is given back unstarted', async () => {
      const joining = await Joining.create(databases, '');
      const [join] = await joining.hand.claim(1);
      await joining.goBack();
      await joining.hand.finish(join!.token, { stopped: true });
      await joining.expectJoinAfterItem();
    });

    test('when a failure is retried at once', async () => {
      const joining = await Joining.create(
        databases,
        ', retry: { max_retries_failure: 1, initial_delay: 0 }',
      );
      await joining.claim('join');
      await joining.goBack();
      await joining.end('join', 1);
      await joining.expectJoinAfterItem();
    });

    test('when a retry is due, and not before', async () => {
      const joining = await Joining.create(
        databases,
        ', retry: { max_retries_failure: 1, initial_delay: 60 }',
      );
      await joining.claim('join');
      await joining.end('join', 1);
      await joining.goBack();
      expect(await joining.status()).toBe('ready');
      joining.hand.world.clock.now = (await joining.hand.nextDue())!;
      await joining.hand.claim(0);
      await joining.expectJoinAfterItem();
    });

    test('when the steps that it had run before its re-attempt have ended', async () => {
      const route = ', on_fail: { run: [fix], retry: { max: 1, backoff: { delay_ms: 0 } } }';
      const joining = await Joining.create(databases, route, 'fix: { exec: fix }');
      await joining.claim('join');
      await joining.end('join', 1);
      await joining.claim('fix');
      await joining.goBack();
      expect(await joining.status()).toBe('ready');
      await joining.end('fix', 0);
      await joining.expectJoinAfterItem();
    });

    test('when a user has its running attempt retried', async () => {
      const joining = await Joining.create(databases, '');
      const { engine, workflowId } = joining.hand.world;
      await joining.claim('join');
      await joining.goBack();
      await engine.retryJob(workflowId, 'join', { actor: 'ann' });
      await joining.end('join', 143);
      await joining.expectJoinAfterItem();
    });

    test('when a user retries its failure', async () => {
      const joining = await Joining.create(databases, '');
      const { engine, workflowId } = joining.hand.world;
      await joining.claim('join');
      await joining.goBack();
      await joining.end('join', 1);
      expect(await joining.status()).toBe('failed');
      await engine.retryJob(workflowId, 'join', { actor: 'ann' });
      await joining.expectJoinAfterItem();
    });

    test('when the decision about its failure is to retry it', async () => {
      const joining = await Joining.create(databases, 'ask');
      const { engine, workflowId } = joining.hand.world;
      await joining.claim('join');
      await joining.goBack();
      await joining.end('join', 1);
      const { id } = await joining.hand.world.job('join');
      const decisions = [{ job_id: id, action: 'retry' as const }];
      await engine.resolve(workflowId, { decisions, actor: 'ann', dry_run: false });
      await joining.expectJoinAfterItem();
    });

    test('when a user retries the failure of an item that it joins', async () => {
      const hand = await RoutingHand.create(modelOf(spec('')), databases);
      onTestFinished(() => hand.close());
      await hand.play({ list: { output: ['x'] } });
      await hand.play();
      expect(await hand.play({ b: { exit_code: 1 } })).toEqual(['b', 'beside']);
      expect((await hand.world.job('join')).status).toBe('ready');
      await hand.world.engine.retryJob(hand.world.workflowId, 'b@list[0]', { actor: 'ann' });
      expect((await hand.world.job('join')).status).toBe('blocked');
      expect(await hand.play({ b: { output: 'second' } })).toEqual(['b']);
      const [join] = await hand.claim(1);
      expect(join!.outputs.b).toEqual(['second']);
    });
  });
}
