import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import type { RequestRecord, UnitRecord } from '../../src/contract/records/request.ts';
import type { HookInput, InvalidationManifest } from '../../src/worker/execute/output-hooks.ts';
import { until } from '../cli/run-cli.ts';
import { kill } from '../kill-process.ts';
import { makeWorld, type World } from './world.ts';

const REQUEST = {
  kind: 'request',
  name: 'demo',
  work: { range: { total: 3, first: 1, per_job: 1 } },
  jobs_per_unit: 1,
  round: { first_units: 2, units: 2 },
  process: { command: 'echo {first} > {output}', retry: 0 },
  outputs: 'data/v{version}/{unit}.txt',
};

/** It is held after its second round, in which number 3 fails. */
const HELD = {
  ...REQUEST,
  process: { command: 'if [ {first} = 3 ]; then exit 42; fi; echo {first} > {output}', retry: 0 },
};

const worldWith = (context: TestContext, request: object) => makeWorld(context, { 'req.json': request });

const manifestPath = (world: World, version = 1) =>
  join(world.dir, `output/requests/demo/v${version}/invalidated.json`);
const manifest = (world: World, version = 1) =>
  JSON.parse(readFileSync(manifestPath(world, version), 'utf8')) as InvalidationManifest;
const show = (world: World, ref = 'demo') => world.json<RequestRecord>('requests', 'show', ref);

describe.concurrent('outputs of a request', () => {
  test('are listed in a manifest when it is failed: those of done units, and no others', async (context) => {
    const world = worldWith(context, HELD);
    expect((await world.run('run', 'req.json')).code).toBe(3);
    const { code, stderr } = await world.run('requests', 'fail', 'demo', '--reason', 'wrong geometry');
    expect([code, stderr]).toEqual([0, '']);
    expect(manifest(world)).toEqual({
      request_name: 'demo',
      version: 1,
      reason: 'wrong geometry',
      actor: expect.any(String),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      outputs: [
        { unit: 1, path: 'data/v1/1.txt' },
        { unit: 2, path: 'data/v1/2.txt' },
      ],
    });
    expect(await show(world)).toMatchObject({
      status: 'FAILED',
      output_state: 'invalidated',
      output_errands: [],
      rounds: [{ state: 'COMPLETED' }, { state: 'FAILED' }],
    });
    const { stdout } = await world.run('requests', 'show', 'demo');
    const shown = stdout.split('\n').slice(-4);
    expect(shown[1]).toMatch(/^\d\d:\d\d:\d\d {2}failed: wrong geometry \(.+\)$/);
    expect(shown[2]).toMatch(/^\d\d:\d\d:\d\d {2}its outputs are invalidated: wrong geometry \(.+\)$/);
  });

  test('are invalidated by the process that drives the request, if there is one', async (context) => {
    const world = worldWith(context, {
      ...REQUEST,
      process: {
        command: 'echo {first} > {output}; if [ {first} = 2 ]; then echo up >> up; sleep 600; fi',
        retry: 0,
      },
    });
    const run = world.start('run', 'req.json');
    await world.linesReached('up', 1);
    await until(async () => (await world.jobs())[0]!.status === 'completed', 'unit 1 is done');
    expect((await world.run('requests', 'fail', 'demo')).code).toBe(0);
    expect((await run.ended).code).toBe(1);
    expect(manifest(world).outputs).toEqual([{ unit: 1, path: 'data/v1/1.txt' }]);
    const units = await world.json<UnitRecord[]>('requests', 'units', 'demo');
    expect(units.map(({ state }) => state)).toEqual(['done', 'failed']);
    await world.nothingLeft();
  });

  test('stay valid after a restart until the next version is complete, and then are superseded', async (context) => {
    const world = worldWith(context, HELD);
    await world.run('run', 'req.json');
    expect((await world.run('requests', 'restart', 'demo')).code).toBe(0);
    expect((await show(world, 'demo@1')).output_state).toBe('active');
    // Number 3 fails again; after the release number 4 is processed instead.
    expect((await world.run('requests', 'run', 'demo')).code).toBe(3);
    expect((await show(world, 'demo@1')).output_state).toBe('active');
    expect((await world.run('requests', 'release', 'demo')).code).toBe(0);
    expect((await world.run('requests', 'run', 'demo')).code).toBe(0);
    expect((await show(world, 'demo@1')).output_state).toBe('superseded');
    expect(existsSync(manifestPath(world))).toBe(false);
  });

  test('are invalidated when the next version is complete, with immediate_cleanup', async (context) => {
    const world = worldWith(context, { ...HELD, cleanup_policy: 'immediate_cleanup' });
    await world.run('run', 'req.json');
    await world.run('requests', 'restart', 'demo');
    expect((await world.run('requests', 'run', 'demo')).code).toBe(3);
    expect(existsSync(manifestPath(world))).toBe(false);
    await world.run('requests', 'release', 'demo');
    expect((await world.run('requests', 'run', 'demo')).code).toBe(0);
    expect(manifest(world)).toMatchObject({
      version: 1,
      reason: 'superseded by demo@2',
      outputs: [{ unit: 1 }, { unit: 2 }],
    });
    expect(existsSync(manifestPath(world, 2))).toBe(false);
    expect((await show(world, 'demo@1')).output_state).toBe('invalidated');
  });
});

describe.concurrent('a hook for outputs', () => {
  const KEY = 'echo "$HOLDFAST_EVENT $HOLDFAST_IDEMPOTENCY_KEY" >> keys';
  const ONE_ROUND = { ...REQUEST, round: { first_units: 3, units: 3 } };

  test('that fails twice is repeated with the same key, before the command ends', async (context) => {
    const hook = `${KEY}; cat > input.json; [ $(wc -l < keys) = 3 ]`;
    const world = worldWith(context, { ...ONE_ROUND, hooks: { output_registered: hook } });
    const { code, stderr } = await world.run('run', 'req.json');
    expect(code).toBe(0);
    expect(stderr).toMatch(/registration of outputs \(version 1\) failed 1 of 10 times: exit 1; next try at/);
    expect(world.lines('keys')).toEqual(Array(3).fill('registered demo@1/registered/1/1'));
    const input = JSON.parse(readFileSync(join(world.dir, 'input.json'), 'utf8')) as HookInput;
    expect(input).toMatchObject({
      event: 'registered',
      idempotency_key: 'demo@1/registered/1/1',
      request_name: 'demo',
      version: 1,
      round: 1,
      run_id: 1,
      cwd: world.dir,
      manifest: null,
      outputs: [{ unit: 1, path: 'data/v1/1.txt' }, { unit: 2 }, { unit: 3 }],
    });
    expect((await show(world)).output_errands).toEqual([]);
  });

  test('is repeated by the next command when the one that ran it was killed', async (context) => {
    const hook = `${KEY}; [ -e open ] || sleep 600`;
    const world = worldWith(context, { ...ONE_ROUND, hooks: { output_registered: hook } });
    const run = world.start('run', 'req.json');
    await world.linesReached('keys', 1);
    expect((await show(world)).output_errands).toMatchObject([{ event: 'registered', tries: 1 }]);
    const { stdout } = await world.run('status', '1');
    expect(stdout).toMatch(/beside +output hook, running for/);
    kill(run.child.pid!);
    await world.nothingLeft();
    world.write('open');
    expect((await world.run('requests', 'run', 'demo')).code).toBe(0);
    expect(world.lines('keys')).toEqual(Array(2).fill('registered demo@1/registered/1/1'));
    expect((await show(world)).output_errands).toEqual([]);
  });

  test('of an invalidation finds the manifest, and a failed one is left to the next command', async (context) => {
    const hook = `${KEY}; cat > input.json; [ -e open ]`;
    const world = worldWith(context, { ...HELD, hooks: { output_invalidated: hook } });
    await world.run('run', 'req.json');
    const failed = await world.run('requests', 'fail', 'demo');
    expect(failed.code).toBe(0);
    expect(failed.stderr).toMatch(
      /invalidation of outputs .* failed 1 of 10 times: exit 1; next try at .*; it is left to holdfast requests run demo/,
    );
    expect(manifest(world).outputs).toHaveLength(2);
    const input = JSON.parse(readFileSync(join(world.dir, 'input.json'), 'utf8')) as HookInput;
    expect(input).toMatchObject({ event: 'invalidated', manifest: manifestPath(world) });
    world.write('open');
    // The request is FAILED all the same.
    expect((await world.run('requests', 'run', 'demo')).code).toBe(1);
    expect(world.lines('keys')).toEqual(Array(2).fill('invalidated demo@1/invalidated'));
    expect((await show(world)).output_errands).toEqual([]);
  });
});
