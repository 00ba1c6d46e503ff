import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { loadRequest } from '../../src/spec/request/load-request.ts';
import { sentFiles } from '../../src/spec/spec-files.ts';
import { kill } from '../kill-process.ts';
import { ServiceWorld, until } from './service-world.ts';

/** A request of one unit, all of which is done. */
async function worldWith(context: TestContext, hooks: object, command = 'echo {first} > {output}') {
  const world = await ServiceWorld.make(context);
  const spec = {
    kind: 'request',
    name: 'demo',
    work: { range: { total: 1, first: 1, per_job: 1 } },
    jobs_per_unit: 1,
    round: { first_units: 1, units: 1 },
    process: { command, retry: 0 },
    outputs: 'data/{unit}.txt',
    hooks,
  };
  const loaded = loadRequest(JSON.stringify(spec), 'demo.json', sentFiles({ texts: {}, lists: {} }));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded));
  const { model, items } = loaded;
  const place = { cwd: '.', output_dir: 'output', actor: 'ann', shared: true };
  await world.engine.createRequest({ model, items, ...place });
  while (await world.engine.tendRequests({ most_active: 1 }));
  const errands = async () => (await world.engine.getRequest('demo')).output_errands;
  return { world, errands };
}

const KEY = 'echo "$HOLDFAST_IDEMPOTENCY_KEY" >> keys';
const linesOf = (world: ServiceWorld, name: string) =>
  existsSync(join(world.dir, name)) ? readFileSync(join(world.dir, name), 'utf8').trim().split('\n') : [];

describe.concurrent('a worker of a server', () => {
  test('runs hooks where the request runs, and removes what it wrote for them', async (context) => {
    const hook = `${KEY}; cat > input.json; echo said; pwd > where`;
    const { world, errands } = await worldWith(context, { output_registered: hook });
    world.worker();
    await until(
      'the hook has run',
      async () => existsSync(join(world.dir, 'where')) && (await errands()).length === 0,
    );
    expect(linesOf(world, 'keys')).toEqual(['demo@1/registered/1/1']);
    expect(linesOf(world, 'where')).toEqual([world.dir]);
    const input = JSON.parse(readFileSync(join(world.dir, 'input.json'), 'utf8'));
    expect(input).toMatchObject({ outputs: [{ unit: 1, path: 'data/1.txt' }], cwd: world.dir });
    const logs = readdirSync(join(world.dir, 'output/job_stdio')).filter((name) =>
      name.startsWith('outputs_'),
    );
    expect(logs.map((name) => readFileSync(join(world.dir, 'output/job_stdio', name), 'utf8'))).toEqual([
      '',
      'said\n',
    ]);
    await until('its input is removed', async () =>
      readdirSync(join(world.dir, 'worker/work')).every((name) => !name.endsWith('.json')),
    );
  });

  test('continues with a hook that runs on while the worker is restarted', async (context) => {
    const { world, errands } = await worldWith(context, {
      output_registered: `${KEY}; until [ -e open ]; do sleep 0.05; done`,
    });
    const first = world.program();
    await until('the hook runs', async () => linesOf(world, 'keys').length === 1);
    kill(first.child.pid!);
    await first.ended;
    const second = world.program();
    await until('it continues', async () => second.output().includes('worker 1 resumes'));
    writeFileSync(join(world.dir, 'open'), '');
    await until('the hook has ended', async () => (await errands()).length === 0);
    expect(linesOf(world, 'keys')).toEqual(['demo@1/registered/1/1']);
  });

  test('repeats a manifest that cannot be written, and does not run the hook before it is', async (context) => {
    const { world, errands } = await worldWith(context, { output_invalidated: KEY }, 'exit 42; : {output}');
    const manifest = join(world.dir, 'output/requests/demo/v1/invalidated.json');
    mkdirSync(manifest, { recursive: true });
    await world.engine.failRequest('demo', { actor: 'ann' });
    world.worker();
    await until('it has failed', async () => (await errands()).some(({ problem }) => problem !== null));
    expect((await errands())[0]!.problem).toMatch(
      /^could not be started: its files cannot be written: EISDIR/,
    );
    expect(linesOf(world, 'keys')).toEqual([]);
    expect(readdirSync(dirname(manifest)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
