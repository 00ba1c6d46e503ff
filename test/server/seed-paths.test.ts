import { describe, expect, test } from 'vitest';
import { Scene } from './scene.ts';

/** With and without the prefix. */
describe.each(['', '/api/v1'])('the paths that other programs know, under "%s"', (prefix) => {
  const ask = (scene: Scene, method: string, path: string, body?: unknown) =>
    scene.world.ask({
      method,
      url: `${prefix}${path}`,
      token: scene.world.tokens.operator,
      ...(body !== undefined && { body }),
    });

  test('a failure handler is shown with its rules as a JSON text', async () => {
    const scene = await Scene.create();
    const answer = (await ask(scene, 'GET', `/failure_handlers/${scene.handler}`)).json();
    expect(answer).toEqual({
      id: scene.handler,
      workflow_id: scene.workflow,
      name: 'patient',
      rules: expect.any(String),
    });
    expect(JSON.parse(answer.rules)).toMatchObject([{ exit_codes: [10], max_retries: 2 }]);
  });

  test('a retry is answered with the job and the attempt that comes', async () => {
    const scene = await Scene.create();
    const { broken } = scene.jobs;
    const answer = await ask(scene, 'POST', `/jobs/${broken!.id}/retry/1?max_retries=3`);
    expect(answer.json()).toEqual({
      id: broken!.id,
      workflow_id: scene.workflow,
      name: 'broken',
      status: 'ready',
      attempt_id: 2,
    });
  });

  test('D9 a retry of a running job is answered while its attempt is ended', async () => {
    const scene = await Scene.create();
    const { id } = scene.jobs.running!;
    const answer = await ask(scene, 'POST', `/jobs/${id}/retry/1?max_retries=3&reason=it+hangs`);
    expect(answer.json()).toMatchObject({ id, status: 'running', attempt_id: 1 });
    expect(await scene.world.engine.findJob(id)).toMatchObject({
      retry_requested: true,
      reason: expect.stringMatching(/^retried by .*: it hangs$/),
    });
  });

  test('a retry is refused for each of its four reasons, and without max_retries', async () => {
    const scene = await Scene.create();
    const { broken, done } = scene.jobs;
    const refusal = async (path: string) => {
      const answer = await ask(scene, 'POST', path);
      return [answer.statusCode, answer.json().error.code];
    };
    expect(await refusal('/jobs/999/retry/1?max_retries=3')).toEqual([404, 'NO_SUCH_JOB']);
    expect(await refusal(`/jobs/${broken!.id}/retry/2?max_retries=3`)).toEqual([409, 'WRONG_RUN']);
    expect(await refusal(`/jobs/${done!.id}/retry/1?max_retries=3`)).toEqual([409, 'NOT_RETRYABLE']);
    expect(await refusal(`/jobs/${broken!.id}/retry/1?max_retries=1`)).toEqual([409, 'RETRIES_EXCEEDED']);
    expect(await refusal(`/jobs/${broken!.id}/retry/1`)).toEqual([422, 'INVALID_REQUEST']);
    expect((await scene.world.engine.findJob(broken!.id)).status).toBe('failed');
  });

  test('jobs that wait for a decision are listed, and decided about by their status', async () => {
    const scene = await Scene.create();
    const undecided = scene.jobs.undecided!.id;
    for (const query of ['', `&workflow_id=${scene.workflow}`]) {
      const listed = (await ask(scene, 'GET', `/jobs?status=pending_failed${query}`)).json();
      expect(listed.items.map(({ id }: { id: number }) => id)).toEqual([undecided]);
    }
    const ready = (
      await ask(scene, 'PUT', `/jobs/${undecided}`, { status: 'ready', reason: 'again' })
    ).json();
    expect(ready).toMatchObject({ id: undecided, status: 'ready' });
    const [decision] = (await scene.world.engine.listDecisions()).items;
    expect(decision).toMatchObject({ action: 'retry', actor: 'a-operator', reason: 'again' });
  });

  test('a job can be given up by its status', async () => {
    const scene = await Scene.create();
    const undecided = scene.jobs.undecided!.id;
    const failed = (await ask(scene, 'PUT', `/jobs/${undecided}`, { status: 'failed' })).json();
    expect(failed).toMatchObject({ id: undecided, status: 'failed' });
  });

  test('jobs of several workflows come by their numbers, page by page', async () => {
    const scene = await Scene.create();
    const { world } = scene;
    const jobs = Array.from({ length: 5 }, (_, index) => ({ name: `j${index}`, command: 'true' }));
    for (const name of ['x', 'y']) await world.submit({ name, jobs }, world.tokens.operator);
    const seen: number[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: { items: { id: number }[]; next: number | null } = (
        await ask(scene, 'GET', `/jobs?limit=4&after=${after}`)
      ).json();
      seen.push(...page.items.map(({ id }: { id: number }) => id));
      after = page.next;
    }
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(new Set(seen).size).toBe(15);
  });
});
