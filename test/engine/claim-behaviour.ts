import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { type Databases, PLENTY, statuses, worldOf } from './engine-world.ts';
import { type SimpleJob, simpleModel } from './simple-model.ts';

/** Which jobs are claimed, and until when they wait for it, on any database. */
export function claimBehaviour(databases: Databases): void {
  const makeWorld = (jobs: SimpleJob[], options?: Parameters<typeof simpleModel>[1]) =>
    worldOf(simpleModel(jobs, options), databases);

  describe('claims', () => {
    test('go by priority, then by the order of creation', async () => {
      const world = await makeWorld([
        { name: 'a' },
        { name: 'b', priority: 5 },
        { name: 'c' },
        { name: 'd', priority: 5 },
      ]);
      const worker = await world.remoteWorker();
      const order: string[] = [];
      for (let n = 0; n < 4; n += 1)
        order.push(...(await worker.claim({ slots: 1 })).map((claim) => claim.job_name));
      expect(order).toEqual(['b', 'd', 'a', 'c']);
    });

    test.each([
      ['none', ['urgent', 'plain', 'memory', 'runtime', 'gpu']],
      ['gpus_runtime_memory', ['urgent', 'gpu', 'runtime', 'memory', 'plain']],
      ['gpus_memory_runtime', ['urgent', 'gpu', 'memory', 'runtime', 'plain']],
    ] as const)('of one priority go by jobs_sort_method: %s', async (claimOrder, expected) => {
      const world = await makeWorld(
        [
          { name: 'plain' },
          { name: 'memory', memoryBytes: 4e9, timeoutMs: 1000 },
          { name: 'runtime', memoryBytes: 1e9, timeoutMs: 60_000 },
          { name: 'gpu', gpus: 1 },
          { name: 'urgent', priority: 1 },
        ],
        { claimOrder },
      );
      const worker = await world.remoteWorker();
      expect((await worker.claim()).map((claim) => claim.job_name)).toEqual(expected);
    });

    test('pass over what does not fit and take what does', async () => {
      const world = await makeWorld([
        { name: 'big', cpus: 8, priority: 9 },
        { name: 'small', cpus: 1 },
        { name: 'plain' },
      ]);
      const worker = await world.remoteWorker();
      expect((await worker.claim({ cpus: 2 })).map((claim) => claim.job_name)).toEqual(['small', 'plain']);
    });

    test('keep to named limits over all workers', async () => {
      const jobs = Array.from({ length: 5 }, (_, index) => ({
        name: `j${index}`,
        resources: { licence: 1 },
      }));
      const world = await makeWorld(jobs, { limits: { licence: 2 } });
      const worker = await world.remoteWorker();
      const claims = await worker.claim();
      expect(claims).toHaveLength(2);
      expect(await worker.claim()).toHaveLength(0);
      const result = await worker.exchange({
        finished: [{ claim: claims[0]!, outcome: outcome({ exit_code: 0 }) }],
        capacity: PLENTY,
      });
      expect(result.claims.map((claim) => claim.job_name)).toEqual(['j2']);
    });

    test('keep to max_parallel', async () => {
      const world = await makeWorld([{ name: 'a' }, { name: 'b' }, { name: 'c' }], { maxParallel: 2 });
      expect(await (await world.remoteWorker()).claim()).toHaveLength(2);
    });

    test('carry a token that rises with every claim', async () => {
      const world = await makeWorld([
        { name: 'a', retry: { max_retries_failure: 3, initial_retry_delay_ms: 0 } },
      ]);
      const worker = await world.remoteWorker();
      const tokens: number[] = [];
      for (let n = 0; n < 3; n += 1) {
        const [claim] = await worker.claim();
        tokens.push(claim!.token);
        await worker.exchange({ finished: [{ claim: claim!, outcome: outcome({ exit_code: 1 }) }] });
      }
      expect(tokens).toEqual([...tokens].sort((a, b) => a - b));
      expect(new Set(tokens).size).toBe(3);
    });
  });

  describe('scheduling timeout', () => {
    test('ends the wait before the first start, and says so', async () => {
      const world = await makeWorld([
        { name: 'a', cpus: 64, schedulingTimeoutMs: 5000 },
        { name: 'b', after: ['a'] },
      ]);
      const worker = await world.remoteWorker();
      const waiting = await worker.exchange({ capacity: { ...PLENTY, cpus: 2 } });
      expect(waiting.next_due_at_ms).toBe(world.clock.now + 5000);
      world.clock.now += 5000;
      await worker.exchange({ capacity: { ...PLENTY, cpus: 2 } });
      expect(await statuses(world)).toEqual(['failed', 'canceled']);
      expect((await world.job('a')).reason).toMatch(/^unschedulable/);
      expect(await world.attempts()).toEqual([]);
    });
  });
}
