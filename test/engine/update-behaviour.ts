import { describe, expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { EDIT_TABLE, FILE_EDITS, ranAfter } from './edit-table.ts';
import type { Databases } from './engine-world.ts';
import { planOf, UpdateWorld } from './update-world.ts';

/** A workflow becomes what an edited spec says, on any database. */
export function updateBehaviour(databases: Databases): void {
  const worldOfSpec = (spec: object | string) => UpdateWorld.create(spec, databases);

  describe('an edit of a workflow that has ended', () => {
    test.each(EDIT_TABLE.map((each) => [each.what, each] as const))('%s', async (_, each) => {
      const { base, failed, edited, files, plan } = each;
      const world = await worldOfSpec(base);
      await world.run(Object.fromEntries(failed.map((name) => [name, 1])));
      world.leave();
      const stale = files?.stale ?? [];
      const dry = await world.update(edited, { dry_run: true, stale });
      const result = await world.update(edited, { stale });
      const ran = await world.run();
      expect(planOf(result)).toEqual(plan);
      expect({ ...dry, dry_run: false }).toEqual(result);
      expect(ran.sort()).toEqual(ranAfter(each));
      expect(result.run_id).toBe(ran.length > 0 ? 2 : 1);
      expect(Object.values(await world.statuses()).every((status) => status === 'completed')).toBe(true);
      world.leave();
      expect(await world.update(edited)).toMatchObject({ mode: 'nothing', jobs: [], workflow: [] });
    });
  });

  test.each(FILE_EDITS.map((each) => [each.what, each] as const))('reinitialize: %s', async (_, each) => {
    const world = await worldOfSpec(each.base);
    await world.run();
    world.leave();
    const result = await world.reinitialize(each.files!.stale);
    expect(planOf(result)).toEqual(each.plan);
    expect((await world.run()).sort()).toEqual(ranAfter(each));
  });

  describe('a failed job', () => {
    const spec = (command: string, more: object = {}) => ({
      name: 'w',
      jobs: [
        { name: 'a', command: 'true' },
        {
          name: 'b',
          command,
          depends_on: ['a'],
          retry: { max_retries_failure: 1, initial_retry_delay_ms: 0 },
          ...more,
        },
        { name: 'c', command: 'true', depends_on: ['b'] },
        { name: 'd', command: 'true' },
      ],
    });

    test('runs again with its new command and fresh budgets; what completed stays', async () => {
      const world = await worldOfSpec(spec('false'));
      const { result, ran } = await world.edited(spec('true'), { codes: { b: 1 } });
      expect(ran).toEqual(['b', 'c']);
      expect(planOf(result)).toEqual(['run_again b: command_changed', 'run_again c: upstream']);
      expect(result.jobs[0]!.changes).toEqual([{ field: 'command', from: 'false', to: 'true', diff: null }]);
      const history = (await world.world.attempts()).filter(({ job_name }) => job_name === 'b');
      expect(history.map(({ run_id, attempt_id }) => [run_id, attempt_id])).toEqual([
        [1, 1],
        [1, 2],
        [2, 1],
      ]);
      const { exit_code } = await world.world.engine.status(world.world.workflowId);
      expect(exit_code).toBe(0);
    });

    test('runs again although nothing was edited', async () => {
      const world = await worldOfSpec(spec('false'));
      const { result, ran } = await world.edited(spec('false'), { codes: { b: 1 } });
      expect(planOf(result)).toEqual(['run_again b: unsuccessful', 'run_again c: upstream']);
      expect(ran).toEqual(['b', 'c']);
    });

    test('is retried with the policy of the edited spec', async () => {
      const world = await worldOfSpec(spec('false'));
      await world.run({ b: 1 });
      world.leave();
      await world.update(spec('false', { retry: { max_retries_failure: 3, initial_retry_delay_ms: 0 } }));
      expect(await world.run({ b: 1 })).toEqual(['b', 'b', 'b', 'b']);
    });

    test('has its changes shown as the spec spells them', async () => {
      const spec = (more: object) => ({ name: 'w', jobs: [{ name: 'a', command: 'true', ...more }] });
      const world = await worldOfSpec(spec({ deadline: '1m' }));
      const { jobs } = await world.update(spec({ deadline: '90s', keep_failed_outputs: 'aside' }));
      expect(jobs[0]!.changes).toEqual([
        { field: 'deadline', from: '1m00s', to: '1m30s', diff: null },
        { field: 'keep_failed_outputs', from: 'true', to: 'aside', diff: null },
      ]);
    });

    test('writes an event with the actor and the counts', async () => {
      const world = await worldOfSpec(spec('false'));
      await world.edited(spec('true'), { codes: { b: 1 } });
      const event = (await world.world.events()).find(({ type }) => type === 'workflow_updated');
      expect(event).toMatchObject({
        run_id: 2,
        actor: 'ann',
        data: { mode: 'new_run', counts: { run_again: 2, unchanged: 2 } },
      });
    });
  });

  describe('a removed job', () => {
    const spec = (names: string[]) => ({ name: 'w', jobs: names.map((name) => ({ name, command: 'true' })) });

    test('counts nowhere, and its attempts and events can still be read', async () => {
      const world = await worldOfSpec(spec(['a', 'old']));
      const { engine, workflowId } = world.world;
      const { ran } = await world.edited(spec(['a']), { codes: { old: 1 } });
      expect(ran).toEqual([]);
      expect(await world.statuses()).toEqual({ a: 'completed' });
      const status = await engine.status(workflowId);
      expect(status).toMatchObject({ complete: true, exit_code: 0, workflow: { job_count: 1 } });
      expect(status.counts.failed + status.counts.canceled + status.counts.disabled).toBe(0);
      expect(await engine.listFailures(workflowId)).toEqual([]);
      const attempts = await engine.listAttempts(workflowId, { job: 'old' });
      expect(attempts.items.map(({ exit_code }) => exit_code)).toEqual([1]);
      expect(await engine.explain(workflowId, 'old')).toMatchObject({
        job: { name: 'old', status: 'disabled', reason: 'an update of the workflow removed it' },
        attempts: [{ attempt: { exit_code: 1 } }],
      });
    });

    test('is there again with its history when the spec has it again', async () => {
      const world = await worldOfSpec(spec(['a', 'old']));
      await world.edited(spec(['a']));
      world.leave();
      expect(planOf(await world.update(spec(['a', 'old'])))).toEqual(['add old: new']);
      expect(await world.run()).toEqual(['old']);
      const attempts = await world.world.engine.listAttempts(world.world.workflowId, { job: 'old' });
      expect(attempts.items.map(({ run_id, attempt_id }) => [run_id, attempt_id]).sort()).toEqual([
        [1, 1],
        [2, 1],
      ]);
    });
  });

  describe('while the run is active', () => {
    const spec = (commands: Record<string, string>) => ({
      name: 'w',
      jobs: [
        { name: 'first', command: commands.first ?? 'true' },
        { name: 'second', command: commands.second ?? 'true', depends_on: ['first'] },
        ...(commands.third === undefined
          ? []
          : [{ name: 'third', command: commands.third, depends_on: ['second'] }]),
      ],
    });

    test('what has not started is changed, and what has started is reported', async () => {
      const world = await worldOfSpec(spec({ third: 'true' }));
      const worker = await world.worker();
      const claims = await worker.claim();
      await worker.exchange({ started: claims });
      const result = await world.update(spec({ first: 'echo 1', second: 'echo 2' }));
      expect(result).toMatchObject({ mode: 'same_run', run_id: 1, is_active: true });
      expect(planOf(result)).toEqual([
        'change second: command_changed',
        'remove third: removed',
        'started first: command_changed',
      ]);
      const commandOf = async (job: string) =>
        (await world.world.engine.getJob(world.world.workflowId, job)).config.command;
      expect(await commandOf('first')).toBe('true');
      expect(await commandOf('second')).toBe('echo 2');
      expect(await world.statuses()).toEqual({ first: 'running', second: 'blocked' });
    });

    test('has ended and its process has not, an edit is refused, and an equal spec is not', async () => {
      const world = await worldOfSpec(spec({}));
      const worker = await world.worker();
      for (const _ of ['first', 'second']) {
        const [claim] = await worker.claim();
        await worker.exchange({ finished: [{ claim: claim!, outcome: outcome({ exit_code: 0 }) }] });
      }
      expect(await world.update(spec({}))).toMatchObject({ mode: 'nothing' });
      await expect(world.update(spec({ first: 'echo 1' }))).rejects.toMatchObject({ code: 'RUN_ACTIVE' });
    });

    test('what was canceled before it started is reported as that', async () => {
      const jobs = (first: string) => [
        { name: 'slow', command: 'true' },
        { name: 'bad', command: 'true' },
        { name: 'after_bad', command: first, depends_on: ['bad'] },
      ];
      const world = await worldOfSpec({ name: 'w', jobs: jobs('true') });
      const worker = await world.worker();
      const [slow, bad] = await worker.claim();
      await worker.exchange({ started: [slow!, bad!] });
      await worker.exchange({ finished: [{ claim: bad!, outcome: outcome({ exit_code: 1 }) }] });
      const result = await world.update({ name: 'w', jobs: jobs('echo 1') });
      expect(planOf(result)).toEqual(['canceled after_bad: command_changed']);
      expect(result).toMatchObject({ mode: 'nothing', counts: { canceled: 1, started: 0 } });
      const removed = await world.update({ name: 'w', jobs: jobs('true').slice(0, 2) });
      expect(planOf(removed)).toEqual(['canceled after_bad: removed']);
    });

    test('a new job that depends on what has ended starts at once, or is canceled', async () => {
      const start = {
        name: 'w',
        jobs: [
          { name: 'good', command: 'true' },
          { name: 'bad', command: 'true' },
          { name: 'slow', command: 'true', depends_on: ['good'] },
        ],
      };
      const world = await worldOfSpec(start);
      await (await world.worker()).runReady({ bad: 1 });
      await world.update({
        ...start,
        jobs: [
          ...start.jobs,
          { name: 'after_good', command: 'true', depends_on: ['good'] },
          { name: 'after_bad', command: 'true', depends_on: ['bad'] },
        ],
      });
      expect(await world.statuses()).toMatchObject({ after_good: 'ready', after_bad: 'canceled' });
      expect(await world.run()).toEqual(['after_good', 'slow']);
    });
  });

  test('a dry run counts what a dead worker left as lost, as the update does, and closes nothing', async () => {
    const spec = (command: string) => ({
      name: 'w',
      jobs: [
        { name: 'left', command: 'true', retry: { max_retries_preemption: 0 } },
        { name: 'after', command: 'true', depends_on: ['left'] },
        { name: 'other', command },
      ],
    });
    const world = await worldOfSpec(spec('true'));
    const worker = await world.worker();
    await worker.exchange({ started: await worker.claim() });
    world.leave();
    const before = await world.statuses();
    expect(before).toMatchObject({ left: 'running', other: 'running' });
    const [again, reset] = [await world.reinitialize([], true), await world.resetFailed(true)];
    const dry = await world.update(spec('echo'), { dry_run: true });
    expect(await world.statuses()).toEqual(before);
    expect(planOf(again)).toEqual(['run_again after: upstream', 'run_again left: unsuccessful']);
    expect(reset.jobs.map(({ name }) => name)).toEqual(['left', 'after']);
    expect({ ...dry, dry_run: false }).toEqual(await world.update(spec('echo')));
    expect(await world.run()).toEqual(['left', 'other', 'after']);
  });

  test('memory that was raised stays unless the spec asks for other memory', async () => {
    const spec = (memory: string, command = 'true') => ({
      name: 'w',
      resource_requirements: [{ name: 'small', num_cpus: 1, memory }],
      jobs: [{ name: 'a', command, resource_requirements: 'small' }],
    });
    const world = await worldOfSpec(spec('1g'));
    const { engine, workflowId } = world.world;
    await engine.changeResources(workflowId, 'a', { memory: '3g', actor: 'ann' });
    expect(await world.update(spec('1g'))).toMatchObject({ mode: 'nothing' });
    await world.update(spec('1g', 'echo'));
    const bytes = async () => (await engine.getJob(workflowId, 'a')).requirement.memory_bytes;
    expect(await bytes()).toBe(3 * 1024 ** 3);
    await world.update(spec('2g', 'echo'));
    expect(await bytes()).toBe(2 * 1024 ** 3);
  });

  test('two updates at once: the second one is compared with what the first one stored', async () => {
    const spec = (command: string) => ({
      name: 'w',
      jobs: [
        { name: 'a', command },
        { name: 'b', command: 'true', depends_on: ['a'] },
        { name: 'c', command: 'true' },
      ],
    });
    const edited = spec('echo');
    const world = await worldOfSpec(spec('true'));
    await world.run();
    world.leave();
    const results = await Promise.all([world.update(edited), world.update(edited), world.update(edited)]);
    expect(results.map(({ mode }) => mode).sort()).toEqual(['new_run', 'nothing', 'nothing']);
    expect(await world.run()).toEqual(['a', 'b']);
  });
}
