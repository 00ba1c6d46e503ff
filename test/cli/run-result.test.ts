import { describe, expect, test } from 'vitest';
import { collectRunResult } from '../../src/cli/run/run-result.ts';
import { runResultView } from '../../src/cli/texts/run-result-text.ts';
import type { Engine } from '../../src/contract/engine.ts';
import type { RunStory } from '../../src/views/run-story.ts';
import { onSqlite, worldOf } from '../engine/engine-world.ts';
import { simpleModel } from '../engine/simple-model.ts';
import { table } from './printed.ts';

const STORY: RunStory = { routed: false, asksCode: false, debug: false };
const names = (word: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `${word}_${index + 1}` }));

/** The engine, and how many jobs it was seen to list. */
function counting(engine: Engine): { engine: Engine; listed: () => number } {
  let listed = 0;
  const listFailures: Engine['listFailures'] = async (...words) => {
    const groups = await engine.listFailures(...words);
    listed += groups.reduce((sum, { jobs }) => sum + jobs.length, 0);
    return groups;
  };
  const listJobs: Engine['listJobs'] = async (...words) => {
    const page = await engine.listJobs(...words);
    listed += page.items.length;
    return page;
  };
  const seen = { listFailures, listJobs } as Partial<Engine>;
  const watched = new Proxy(engine, {
    get: (_, name: keyof Engine) =>
      seen[name] ?? (engine[name] as (...words: unknown[]) => unknown).bind(engine),
  });
  return { engine: watched, listed: () => listed };
}

describe('what a run shows at its end', () => {
  test('reads counts and some jobs of each kind of failure, however many jobs failed', async () => {
    const model = simpleModel([...names('sweep', 300), ...names('fit', 40), { name: 'alone' }]);
    const world = await worldOf(model, onSqlite);
    const codes = Object.fromEntries([
      ...names('sweep', 300).map(({ name }) => [name, 4] as const),
      ...names('fit', 40).map(({ name }) => [name, 5] as const),
      ['alone', 6] as const,
    ]);
    await (await world.remoteWorker()).runReady(codes);
    const status = await world.engine.status(world.workflowId);
    const { engine, listed } = counting(world.engine);
    const result = await collectRunResult(engine, status, 'table', STORY);
    expect(result.failed.map(({ job, jobs, alike }) => [job.name, jobs, alike.length])).toEqual([
      ['sweep_1', 300, 10],
      ['fit_1', 40, 10],
      ['alone', 1, 0],
    ]);
    expect(listed()).toBeLessThan(50);
    const printed = table(runResultView, result);
    expect(printed).toContain('341 jobs failed, in 3 ways:');
    expect(printed).toContain('failed 300 jobs: exit 4');
    expect(printed).toMatch(/jobs: sweep_1, sweep_2, .*, sweep_10 and 290 more/);
    expect(printed).not.toContain('more: holdfast jobs');
  });

  test('puts what waits for a decision first, and counts those that failed in the same way with it', async () => {
    const model = simpleModel([...names('sweep', 6), { name: 'a' }, { name: 'b' }], {
      usePendingFailed: true,
    });
    const world = await worldOf(model, onSqlite);
    const sweep = Object.fromEntries(names('sweep', 6).map(({ name }) => [name, 4] as const));
    await (await world.remoteWorker()).runReady({ ...sweep, a: 1, b: 1 });
    const decided = [...names('sweep', 6).map(({ name }) => name), 'a'];
    const decisions = [];
    for (const name of decided) {
      decisions.push({ job_id: (await world.job(name)).id, action: 'fail' as const });
    }
    await world.engine.resolve(world.workflowId, { decisions, actor: 'ada' });
    const status = await world.engine.status(world.workflowId);
    const { failed } = await collectRunResult(world.engine, status, 'table', STORY);
    expect(failed.map(({ job, jobs, alike }) => [job.name, job.status, jobs, alike[0]])).toEqual([
      ['b', 'pending_failed', 2, 'a'],
      ['sweep_1', 'failed', 6, 'sweep_2'],
    ]);
  });

  test('has jobs that failed without an attempt by themselves', async () => {
    const model = simpleModel([
      { name: 'a' },
      { name: 'late', schedulingTimeoutMs: 50, labels: ['nowhere'] },
      { name: 'also_late', schedulingTimeoutMs: 50, labels: ['nowhere'] },
    ]);
    const world = await worldOf(model, onSqlite);
    const worker = await world.remoteWorker();
    await worker.runReady({ a: 4 });
    world.clock.now += 60;
    await worker.claim();
    const status = await world.engine.status(world.workflowId);
    expect(status.counts.failed).toBe(3);
    const { failed } = await collectRunResult(world.engine, status, 'table', STORY);
    expect(failed.map(({ job, jobs, attempt }) => [job.name, jobs, attempt?.error])).toEqual([
      ['a', 1, 'exit 4'],
      ['late', 1, undefined],
      ['also_late', 1, undefined],
    ]);
  });
});
