import { describe, expect, type TestContext, test } from 'vitest';
import type { RequestRecord } from '../../src/contract/records/request.ts';
import { kill } from '../kill-process.ts';
import { makeRequest, overlaps, type RequestWorld } from './request-world.ts';

/** Units of the request whose numbers were delivered; each has written one line, once, however often it was started. */
const UNITS = 6;

/** Two rounds of three units; each attempt leaves a line when it starts, and one when it has succeeded. */
function makeKilled(context: TestContext, command: string, more: object = {}): RequestWorld {
  return makeRequest(context, {
    work: { range: { total: UNITS * 10, per_job: 10 } },
    round: { first_units: 3, units: 3 },
    process: { command: `echo {unit} >> started; ${command}; echo {unit} >> done`, retry: 1 },
    ...more,
  });
}

/** After everything of it was killed, the next process finishes the request, and its ledger adds up. */
async function finishes(world: RequestWorld): Promise<void> {
  await world.nothingLeft();
  const { code, stderr } = await world.resume();
  expect(code, stderr).toBe(0);
  const { rounds, ...request } = await world.show();
  expect(request).toMatchObject({
    status: 'COMPLETED',
    delivered: String(UNITS * 10),
    cursor: String(UNITS * 10 + 1),
  });
  expect(rounds.map(({ number, state, units }) => [number, state, units.done])).toEqual([
    [1, 'COMPLETED', 3],
    [2, 'COMPLETED', 3],
  ]);
  const units = await world.units();
  expect(units.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(overlaps(units)).toEqual([]);
  const succeeded = (await world.allAttempts()).filter(({ state }) => state === 'SUCCEEDED');
  expect(succeeded).toHaveLength(UNITS);
  const workflows = await world.ask((engine) => engine.listWorkflows());
  expect(workflows.items).toHaveLength(2);
}

const WAIT = 'until [ -e go ]; do sleep 0.02; done';

describe.concurrent('a run of a request that is killed with everything it started', () => {
  test('while jobs run is continued: what was done stays done', async (context) => {
    const world = makeKilled(context, `[ {unit} -ne 2 ] || ${WAIT}`);
    const run = world.start('run', 'request.json', '-j', '1');
    await world.linesReached('started', 2);
    await world.running();
    kill(run.child.pid!);
    await run.ended;
    expect(await world.show()).toMatchObject({ status: 'ACTIVE', rounds: [{ state: 'RUNNING' }] });
    world.write('go');
    await finishes(world);
    expect(world.lines('done').filter((unit) => unit === '1')).toHaveLength(1);
    expect((await world.allAttempts()).map(({ cause }) => cause)).toContain('lost');
  });

  test('while the post step of a job runs', async (context) => {
    const post = `echo x >> posts; ${WAIT}`;
    const world = makeKilled(context, 'true', { post });
    const run = world.start('run', 'request.json', '-j', '1');
    await world.linesReached('posts', 1);
    kill(run.child.pid!);
    await run.ended;
    world.write('go');
    await finishes(world);
    // A post script that was cut off is a transient failure of its attempt.
    expect(world.lines('started').toSorted()).toEqual(['1', '1', '2', '3', '4', '5', '6']);
  });

  test('in every state, one after the other', async (context) => {
    const world = makeKilled(context, 'true');
    const done = ({ delivered }: RequestRecord, units: number) => Number(delivered) >= units * 10;
    const moments: [string, (request: RequestRecord) => boolean][] = [
      ['it is stored', () => true],
      ['its first round is planned', ({ rounds }) => rounds.length > 0],
      ['a unit is done', (request) => request.rounds[0]!.units.done > 0],
      ['its first round has ended', (request) => done(request, 3)],
      ['its second round is planned', ({ rounds }) => rounds.length > 1],
      ['a unit of that is done', ({ rounds }) => (rounds[1]?.units.done ?? 0) > 0],
    ];
    for (const [index, [what, check]] of moments.entries()) {
      const args = index === 0 ? ['run', 'request.json'] : ['requests', 'run', 'campaign'];
      const run = world.start(...args, '-j', '1');
      await world.until(what, check);
      kill(run.child.pid!);
      await run.ended;
    }
    await finishes(world);
  });
});
