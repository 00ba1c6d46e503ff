import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import type { Databases } from './engine-world.ts';
import { planOf, UpdateWorld } from './update-world.ts';

/** Edits of what many jobs share, and edits that are taken back, on any database. */
export function updateTextsBehaviour(databases: Databases): void {
  const worldOfSpec = (spec: object) => UpdateWorld.create(spec, databases);

  const jobs = (more: Record<string, object> = {}) =>
    [
      { name: 'get', command: 'get {source}' },
      { name: 'note', command: 'echo noted' },
      { name: 'use', command: 'use', depends_on: ['get', 'note'] },
    ].map((job) => ({ ...job, ...more[job.name] }));
  const spec = (fields: object = {}, more: Record<string, object> = {}) => ({
    name: 'w',
    variables: { source: 'a' },
    jobs: jobs(more),
    ...fields,
  });
  describe('an edit that is taken back before anything ran', () => {
    test('has a job wait for one that was removed and is there again', async () => {
      const world = await worldOfSpec(spec());
      await world.update(spec({ jobs: jobs({ use: { depends_on: ['note'] } }).slice(1) }));
      expect(await world.statuses()).toEqual({ note: 'ready', use: 'blocked' });
      expect(await world.update(spec())).toMatchObject({ mode: 'same_run', run_id: 1 });
      expect(await world.statuses()).toEqual({ get: 'ready', note: 'ready', use: 'blocked' });
      expect(await world.run()).toEqual(['get', 'note', 'use']);
    });
  });

  test('a job that is ready after a failure is canceled if the active run is to cancel it', async () => {
    const runsAnyway = (isSo: boolean) =>
      spec({}, { use: { cancel_on_blocking_job_failure: !isSo, depends_on: ['get'] } });
    const world = await worldOfSpec(runsAnyway(true));
    const worker = await world.worker();
    const claims = await worker.claim();
    const get = claims.find(({ job_name }) => job_name === 'get')!;
    await worker.exchange({ finished: [{ claim: get, outcome: outcome({ exit_code: 1 }) }] });
    expect(await world.statuses()).toMatchObject({ get: 'failed', use: 'ready' });
    expect(planOf(await world.update(runsAnyway(false)))).toEqual(['policy use: policy_changed']);
    expect(await world.statuses()).toMatchObject({ get: 'failed', use: 'canceled' });
  });

  test('a canceled job that an active run keeps can run although all it waited for was removed', async () => {
    const world = await worldOfSpec(
      spec({}, { use: { depends_on: ['note'] }, note: { depends_on: ['get'] } }),
    );
    const { engine, workflowId } = world.world;
    await (await world.worker()).claim();
    await engine.cancel(workflowId, { jobs: ['use'], actor: 'ann' });
    const edited = jobs({ use: { depends_on: [] } }).filter(({ name }) => name !== 'note');
    expect(planOf(await world.update(spec({ jobs: edited })))).toEqual([
      'canceled use: dependency_removed',
      'remove note: removed',
    ]);
    await engine.retryJobs(workflowId, { from: ['use'], actor: 'ann' });
    expect(await world.statuses()).toMatchObject({ use: 'ready' });
  });
}
