import { expect, test } from 'vitest';
import type { Simulation, SpecCheck } from '../../src/contract/records/overview.ts';
import { simulatedEnd } from '../../src/views/spec/simulated-steps.ts';
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
    groups: [{ label: 'b*', jobs: 3, sample: 'b1', wave: 1, after: [] }],
  });
  const notation = await check(world, { spec: '{ "name": ', file_name: 'x.json' });
  expect(notation.check.problems).toHaveLength(1);
  expect((await check(world, { spec: 'kind: request\nname: r\n' })).check).toMatchObject({
    kind: 'request',
    valid: false,
  });
  expect((await world.engine.listWorkflows()).items).toEqual([]);
});

test('a failure of one job is simulated, with the words of the command, and nothing is stored', async () => {
  const world = await ServerWorld.create({});
  const simulate = async (given: object) => {
    const answer = await world.ask({
      method: 'POST',
      url: '/api/v1/specs/simulate',
      body: {
        spec: {
          name: 'a',
          jobs: [{ name: 'b{i}', parameters: { i: '1:3' }, command: 'x', failure_handler: 'h' }],
          failure_handlers: [
            {
              name: 'h',
              rules: [
                { stderr: 'disk, full', max_retries: 2 },
                { exit_codes: [9], category: 'data' },
              ],
            },
          ],
        },
        job: 'b2',
        ...given,
      },
      token: world.tokens.operator,
    });
    return { code: answer.statusCode, simulation: answer.json() as Simulation, text: answer.body };
  };
  const { simulation } = await simulate({ outcomes: ['1:disk, full', '1:disk, full'] });
  expect(simulation).toMatchObject({ job: 'b2', status: 'failed', unused: [] });
  expect(simulation.steps.map(({ verdict, rule }) => [verdict, rule])).toEqual([
    ['retry', 'handler'],
    ['fail', 'handler'],
  ]);
  expect(simulatedEnd(simulation)).toMatch(/^failed after 2 executions, /);
  const data = (await simulate({ outcomes: ['9'] })).simulation;
  expect(data.steps).toMatchObject([{ category: 'data', verdict: 'fail' }]);
  for (const [given, path] of [
    [{ outcomes: ['sideways'] }, 'body.outcomes'],
    [{ outcomes: ['1'], job: 'b' }, 'body.job'],
    [{ outcomes: ['1'], spec: 'kind: request\nname: r\n' }, 'body.spec'],
    [{ outcomes: ['1'], spec: { name: 'a', jobs: [{ nmae: 'b' }] } }, 'body.spec.jobs[0].nmae'],
  ] as const) {
    const refused = await simulate(given);
    expect(refused.code).toBe(422);
    expect(refused.text).toContain(`"${path}"`);
  }
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
