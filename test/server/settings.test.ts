import { expect, test } from 'vitest';
import { ServerWorld } from './server-world.ts';

const spec = 'variables: {v: 1}\njobs: [{name: "a{i}", command: "x {v}", parameters: {i: [1, 2]}}]\n';

test('values that are set go with the spec, and a server makes the same model of both', async () => {
  const world = await ServerWorld.create({});
  const submit = (set: object) =>
    world.ask({ method: 'POST', url: '/api/v1/workflows', body: { spec, set } });
  const made = await submit({ v: 'you', i: [3] });
  const { items } = (await world.ask({ url: `/api/v1/workflows/${made.json().id}/jobs` })).json();
  expect(items.map(({ name }: { name: string }) => name)).toEqual(['a3']);
  const job = await world.ask({ url: `/api/v1/workflows/${made.json().id}/jobs/a3` });
  expect(job.json().config.command).toBe('x you');
  const unknown = await submit({ w: 1 });
  expect(unknown.statusCode).toBe(422);
  expect(unknown.json().error.message).toContain('--set w: the spec has no variable or parameter "w"');
  expect((await submit({ v: { a: 1 } })).statusCode).toBe(422);
});

test('files that a spec names are sent with it', async () => {
  const world = await ServerWorld.create({});
  const swept = 'jobs: [{name: "a_{s}", command: x, parameters: {s: {lines: s.txt}}}]\n';
  const submit = (files?: object) =>
    world.ask({ method: 'POST', url: '/api/v1/workflows', body: { spec: swept, ...(files && { files }) } });
  const made = await submit({ texts: { 's.txt': 'p\nq\n' }, lists: {} });
  const { items } = (await world.ask({ url: `/api/v1/workflows/${made.json().id}/jobs` })).json();
  expect(items.map(({ name }: { name: string }) => name)).toEqual(['a_p', 'a_q']);
  expect((await submit()).json().error.message).toContain('s.txt cannot be read: it was not sent along');
});
