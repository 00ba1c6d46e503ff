import { describe, expect, test } from 'vitest';
import { makeRequest, rangeOf } from './request-world.ts';

/** Continues once the file `go` is there. */
const WAIT = 'until [ -e go ]; do sleep 0.02; done';

const kinds = (round: { runs: { kind: string }[] }) => round.runs.map(({ kind }) => kind);

describe.concurrent('the second level of error handling', () => {
  test('a request of 100 units: 60 done, a rescue, 30 more, a stop during the second rescue, all done', async (context) => {
    const command = `unit={unit}; echo "$unit" >> "started.$HOLDFAST_RUN_ID"; case $HOLDFAST_RUN_ID in
      1) [ "$unit" -le 60 ];; 2) [ "$unit" -le 90 ];; 3) sleep 600;; esac`;
    const world = makeRequest(context, rangeOf(100, command, { errors: { error_hold_threshold: 0.5 } }));
    const run = world.start('run', 'request.json', '-j', '8');
    await world.linesReached('started.3', 1);
    const stopped = await world.json<object>('requests', 'stop', 'campaign');
    expect(stopped).toMatchObject({ status: 'STOPPING', previous_status: 'ACTIVE' });
    expect((await run.ended).code).toBe(130);
    expect(await world.show()).toMatchObject({
      status: 'QUEUED',
      delivered: '900',
      rounds: [{ state: 'STOPPED', units: { total: 100, done: 90, failed: 0 } }],
    });
    expect((await world.resume()).code).toBe(0);
    const { rounds, ...request } = await world.show();
    expect(request).toMatchObject({ status: 'COMPLETED', delivered: '1000', cursor: '1001' });
    expect(rounds).toHaveLength(1);
    expect(rounds[0]).toMatchObject({ state: 'COMPLETED', units: { total: 100, done: 100 } });
    expect(rounds[0]!.runs.map(({ run_id, kind, parent }) => [run_id, kind, parent])).toEqual([
      [1, 'first', null],
      [2, 'failure', 1],
      [3, 'failure', 2],
      [4, 'stop', 3],
    ]);
    const ends = (await world.history()).filter(({ action }) => /^round_(rescue|close|hold)$/.test(action));
    expect(ends.map(({ action, data }) => [action, data!.units])).toEqual([
      ['round_rescue', { total: 100, done: 60, failed: 40, not_run: 0 }],
      ['round_rescue', { total: 100, done: 90, failed: 10, not_run: 0 }],
      ['round_close', { total: 100, done: 100, failed: 0, not_run: 0 }],
    ]);
    expect([1, 2, 4].map((id) => world.lines(`started.${id}`).length)).toEqual([100, 40, 10]);
  });

  test('2 of 10 units are exactly the threshold: the request is held, and run exits with 3', async (context) => {
    const world = makeRequest(context, rangeOf(10, '[ {unit} -gt 2 ]'));
    const { code, stdout } = await world.drive();
    expect(code).toBe(3);
    expect(stdout).toContain('2 of 10 units failed (20 %), the threshold is 20 %');
    expect(stdout).toMatch(/next: holdfast requests errors campaign/);
    const { rounds, ...request } = await world.show();
    expect(request).toMatchObject({
      status: 'HELD',
      delivered: '80',
      next: ['errors', 'release', 'restart', 'fail'],
      hold: {
        code: 'failure_ratio',
        round: 1,
        failed_units: 2,
        total_units: 10,
        failure_ratio: 0.2,
        threshold: 0.2,
        rescue_count: 0,
        max_rescue_attempts: 3,
      },
    });
    expect(rounds).toMatchObject([{ state: 'PARTIAL', decision: { kind: 'hold', failure_ratio: 0.2 } }]);
    expect(kinds(rounds[0]!)).toEqual(['first']);
  });

  test('1 of 10 units is rescued until no rescue is left, and only then held', async (context) => {
    const world = makeRequest(
      context,
      rangeOf(10, '[ {unit} -gt 1 ]', { errors: { error_max_rescue_attempts: 1 } }),
    );
    expect((await world.drive()).code).toBe(3);
    const { hold, rounds } = await world.show();
    expect(hold).toMatchObject({ code: 'rescues_exhausted', failure_ratio: 0.1, rescue_count: 1 });
    expect(kinds(rounds[0]!)).toEqual(['first', 'failure']);
    expect((await world.actions()).filter((action) => action.startsWith('round_'))).toEqual([
      'round_planned',
      'round_rescue',
      'round_hold',
    ]);
    expect(await world.allAttempts()).toHaveLength(11);
  });

  test('100 % failed units hold a request and never fail it', async (context) => {
    const world = makeRequest(context, rangeOf(10, 'false'));
    expect((await world.drive()).code).toBe(3);
    const { status, rounds, delivered, cursor } = await world.show();
    expect({ status, delivered, cursor }).toEqual({ status: 'HELD', delivered: '0', cursor: '101' });
    expect(rounds).toMatchObject([{ state: 'FAILED', units: { failed: 10 } }]);
  });

  test('three stops and then a failure: the failure is rescued, for stops do not count', async (context) => {
    const command = `echo {unit} >> "started.$HOLDFAST_RUN_ID"; case {unit}.$HOLDFAST_RUN_ID in
      *.[1-3]) sleep 600;; 1.4) exit 1;; esac`;
    const world = makeRequest(context, rangeOf(10, command, { errors: { error_max_rescue_attempts: 1 } }));
    for (const attempt of [1, 2, 3]) {
      const args = attempt === 1 ? ['run', 'request.json'] : ['requests', 'run', 'campaign'];
      const run = world.start(...args);
      await world.linesReached(`started.${attempt}`, 1);
      run.child.kill('SIGINT');
      expect((await run.ended).code).toBe(130);
      expect(await world.show()).toMatchObject({ status: 'QUEUED' });
    }
    expect((await world.resume()).code).toBe(0);
    const { rounds, delivered } = await world.show();
    expect(kinds(rounds[0]!)).toEqual(['first', 'stop', 'stop', 'stop', 'failure']);
    expect(delivered).toBe('100');
    expect((await world.actions()).filter((action) => action === 'request_stopped')).toHaveLength(3);
  });

  test('a stop between rounds changes nothing, and a paused request stays out until it is resumed', async (context) => {
    const world = makeRequest(context, rangeOf(10, '[ {unit} -gt 2 ]'));
    await world.drive();
    await world.run('requests', 'release', 'campaign');
    expect(await world.json('requests', 'stop', 'campaign')).toMatchObject({
      status: 'QUEUED',
      previous_status: 'QUEUED',
    });
    expect(await world.json('requests', 'pause', 'campaign')).toMatchObject({ status: 'PAUSED' });
    expect((await world.resume()).code).toBe(3);
    expect((await world.show()).rounds).toHaveLength(1);
    await world.run('requests', 'resume', 'campaign');
    expect((await world.resume()).code).toBe(0);
  });

  test('a stop with --pause ends in PAUSED, and done units are kept', async (context) => {
    const world = makeRequest(context, rangeOf(4, `[ {unit} -le 2 ] || { echo x >> waiting; ${WAIT}; }`));
    const run = world.start('run', 'request.json', '-j', '4');
    await world.linesReached('waiting', 2);
    await world.run('requests', 'stop', 'campaign', '--pause');
    expect((await run.ended).code).not.toBe(0);
    expect(await world.show()).toMatchObject({ status: 'PAUSED', rounds: [{ units: { done: 2 } }] });
    world.write('go');
    await world.run('requests', 'resume', 'campaign');
    expect((await world.resume()).code).toBe(0);
    expect((await world.allAttempts()).filter(({ state }) => state === 'SUCCEEDED')).toHaveLength(4);
  });

  test('when_exhausted: advance closes the round instead of holding the request', async (context) => {
    const errors = { error_max_rescue_attempts: 0, when_exhausted: 'advance' };
    const world = makeRequest(context, rangeOf(10, '[ {unit} -ne 3 ]', { errors }));
    expect((await world.drive()).code).toBe(0);
    const { rounds } = await world.show();
    expect(rounds.map(({ state }) => state)).toEqual(['PARTIAL', 'COMPLETED']);
  });
});
