import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { FakeSlurm } from '../slurm/fake-slurm.ts';
import { makeProject, startCli, until } from './run-cli.ts';
import { SERVER_MODE } from './server-mode.ts';

const slurm = new FakeSlurm();
afterAll(() => slurm.down());

const spec = (command: string) => ({
  name: 'on slurm',
  slurm_schedulers: [{ name: 'node', walltime: '10', ntasks_per_node: 1 }],
  jobs: [{ name: 'a', command }],
});
const run = (cwd: string, shared: string) =>
  startCli(['run', 'spec.json', '--executor', 'slurm'], {
    cwd,
    env: { ...slurm.env, HOLDFAST_SLURM_DIR: shared },
  });

test.skipIf(SERVER_MODE)('databases that share a slurm_dir have files of their own in it', async () => {
  const shared = makeProject();
  const mine = 'ls "$HOLDFAST_CHECKPOINT_DIR" > seen; touch "$HOLDFAST_CHECKPOINT_DIR/mine"';
  const [one, other] = [mine, mine].map((command, index) =>
    makeProject({
      'spec.json': spec(`${command}; ${index === 0 ? 'until [ -e go ]; do sleep 0.1; done' : ''}`),
    }),
  ) as [string, string];
  const first = run(one, shared);
  await until(() => readdirSync(one).includes('seen'), 'the first one runs');
  const second = await run(other, shared).ended;
  expect(second, second.stderr).toMatchObject({ code: 0 });
  expect(readFileSync(join(other, 'seen'), 'utf8')).toBe('');
  writeFileSync(join(one, 'go'), '');
  expect((await first.ended).code).toBe(0);
  expect(readdirSync(shared)).toHaveLength(2);
});

test.skipIf(SERVER_MODE)('a slurm_dir that cannot be used is named', async () => {
  const cwd = makeProject({ 'spec.json': spec('true'), file: '' });
  const { code, stderr } = await run(cwd, join(cwd, 'file')).ended;
  expect(code).toBe(2);
  expect(stderr).toMatch(/cannot use .*file.*: ENOTDIR/);
});
