import { describe, expect, test } from 'vitest';
import { Served } from './served-world.ts';

describe('failure handlers', () => {
  const rules =
    '[{"exit_codes":[10,"20-29"],"max_retries":3,"delay":"1500ms","memory":"x1.5","max_memory":4096}]';

  test('are created for jobs, listed in the notation of specs, and deleted', async () => {
    const served = new Served();
    const { engine } = served;
    const id = await served.submit([{ name: 'a' }]);
    const made = await engine.createFailureHandler(id, { name: 'h', rules, jobs: ['a'], actor: 'me' });
    expect(made).toEqual({ id: made.id, workflow_id: id, name: 'h', rules });
    expect((await engine.listFailureHandlers(id)).items).toEqual([made]);
    expect(await engine.getFailureHandler(made.id)).toEqual(made);
    expect((await engine.getJob(id, 'a')).config.failure_handler).toBe('h');
    await engine.deleteFailureHandler(made.id, { actor: 'me' });
    expect((await engine.getJob(id, 'a')).config.failure_handler).toBeNull();
    await expect(engine.getFailureHandler(made.id)).rejects.toMatchObject({ code: 'HANDLER_NOT_FOUND' });
    expect(await served.events(id)).toEqual(['workflow_created', 'handler_created', 'handler_deleted']);
  });

  test('apply from the next failure on', async () => {
    const served = new Served();
    const id = await served.submit([{ name: 'a' }]);
    const worker = await served.worker();
    const handler = { name: 'h', rules: '[{"exit_codes":[10],"max_retries":2}]', jobs: ['a'], actor: 'me' };
    const [claim] = await served.claim(worker);
    await served.engine.createFailureHandler(id, handler);
    await served.end(worker, claim!, { exit_code: 10 });
    expect(await served.engine.getJob(id, 'a')).toMatchObject({ status: 'ready', failure_count: 1 });
  });

  test.each([
    ['not json', '[{', /not JSON/],
    ['an unknown key', '[{"exit_code":[1]}]', /rules\[0\].*exit_codes/s],
    ['no rules', '[]', /rules/],
    ['a decision nobody may make', '[{"exit_codes":[1],"verdict":"ask"}]', /use_pending_failed/],
  ])('with %s are refused', async (_, broken, message) => {
    const served = new Served();
    const id = await served.submit([{ name: 'a' }]);
    const create = served.engine.createFailureHandler(id, { name: 'h', rules: broken, actor: 'me' });
    await expect(create).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(message),
    });
    expect((await served.engine.listFailureHandlers(id)).items).toEqual([]);
  });

  test('have names of their own', async () => {
    const served = new Served();
    const id = await served.submit([{ name: 'a' }]);
    await served.engine.createFailureHandler(id, { name: 'h', rules, actor: 'me' });
    const again = served.engine.createFailureHandler(id, { name: 'h', rules, actor: 'me' });
    await expect(again).rejects.toMatchObject({ code: 'HANDLER_EXISTS' });
  });
});
