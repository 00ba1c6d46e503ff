import { expect, test } from 'vitest';
import type { SpecCheck } from '../../src/contract/records/overview.ts';
import { ServerWorld } from './server-world.ts';

const check = async (world: ServerWorld, body: object) => {
  const answer = await world.ask({
    method: 'POST',
    url: '/api/v1/specs/check',
    body,
    token: world.tokens.operator,
  });
  return { code: answer.statusCode, check: answer.json() as SpecCheck };
};

test('a spec is checked and planned, and nothing is stored', async () => {
  const world = await ServerWorld.create({});
  const wrong = await check(world, { spec: 'name: a\njobs:\n  - name: b\n    comand: "true"\n' });
  expect(wrong.code).toBe(200);
  expect(wrong.check).toMatchObject({
    kind: 'workflow',
    valid: false,
    name: null,
    problems: expect.arrayContaining([expect.objectContaining({ line: 4, path: 'jobs[0].comand' })]),
    groups: [],
  });
  const right = await check(world, {
    spec: { name: 'a', jobs: [{ name: 'b{i}', parameters: { i: '1:3' }, command: 'true' }] },
  });
  expect(right.check).toMatchObject({
    valid: true,
    name: 'a',
    jobs: 3,
    groups: [{ label: 'b*', jobs: 3, wave: 1, after: [] }],
  });
  const notation = await check(world, { spec: '{ "name": ', file_name: 'x.json' });
  expect(notation.check.problems).toHaveLength(1);
  expect((await check(world, { spec: 'kind: request\nname: r\n' })).check).toMatchObject({
    kind: 'request',
    valid: false,
  });
  expect((await world.engine.listWorkflows()).items).toEqual([]);
});

test('a spec is checked within what its caller may submit', async () => {
  const limits = { size: 1_000, jobs: 10, expanded: 1_000_000 };
  const world = await ServerWorld.create({ submissionLimits: { operator: limits, admin: limits } });
  const many = await check(world, {
    spec: { name: 'a', jobs: [{ name: 'b{i}', parameters: { i: '1:11' }, command: 'true' }] },
  });
  expect(many.check).toMatchObject({ valid: false, problems: [{ message: expect.stringContaining('11') }] });
  expect((await check(world, { spec: `name: a # ${'x'.repeat(1_000)}` })).code).toBe(413);
});
