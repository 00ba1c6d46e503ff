import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/index.ts';
import { HoldfastProcess } from '../chaos/holdfast-process.ts';
import { makeProject, runCli, until } from '../cli/run-cli.ts';
import { webhook } from '../notify/receivers.ts';

test('what happened while a receiver was dead is sent once, after the server was killed and started again', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-notify-'));
  const hook = await webhook(503);
  mkdirSync(join(dir, '.holdfast'), { mode: 0o700 });
  writeFileSync(
    join(dir, '.holdfast', 'config.yaml'),
    `notify:\n  ops: { webhook: { env: HOOK_URL }, on: [failed, recovered] }\n`,
  );
  const clean = Object.entries(process.env).filter(([key]) => !key.startsWith('HOLDFAST_'));
  const env = { ...Object.fromEntries(clean), XDG_CONFIG_HOME: join(dir, 'none'), HOOK_URL: hook.url };
  const port = await freePort();
  const serve = () => {
    const program = new HoldfastProcess(['serve', '--with-worker', '--port', String(port)], {
      cwd: dir,
      env,
    });
    program.start();
    return program;
  };
  let server = serve();
  onTestFinished(async () => {
    await server.end('SIGKILL');
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  });
  const url = `http://127.0.0.1:${port}`;
  const client = connect(url);
  await until(
    () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    'the server is ready',
  );
  // The address of the receiver is not for jobs.
  const spec = { name: 'w', jobs: [{ name: 'a', command: 'echo "[$HOOK_URL]" > seen; test -e ok' }] };
  const { id } = await client.submitWorkflow(spec);
  const state = async () => (await client.engine.status(id)).exit_code;
  await until(async () => (await state()) === 1, 'the run has failed');
  const hasFailed = async () =>
    hook.received.length > 0 && (await client.engine.status(id)).errands.length === 0;
  await until(hasFailed, 'a try has failed');
  expect(readFileSync(join(dir, 'seen'), 'utf8')).toBe('[]\n');
  await server.end('SIGKILL');
  hook.answer.status = 200;
  const before = hook.received.length;
  server = serve();
  await until(() => hook.received.length > before, 'the message was sent');
  writeFileSync(join(dir, 'ok'), '');
  await until(
    () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    'the server is ready',
  );
  await client.engine.retryJob(id, 'a', { actor: 'ann' });
  await until(() => hook.received.some(({ body }) => body.event === 'recovered'), 'the recovery was sent');
  expect(hook.received.slice(before).map(({ body }) => body.event)).toEqual(['failed', 'recovered']);
  expect(new Set(hook.received.slice(0, before + 1).map(({ key }) => key)).size).toBe(1);
}, 120_000);

test('a run whose receiver is dead ends as it would, reports what was not sent, and sends it when it is run again', async () => {
  const hook = await webhook(null);
  const cwd = makeProject({
    'w.yaml': `name: w
notify:
  - webhook: ${hook.url}
    on: finished
  - command: cat >> reported.json
jobs: [{ name: a, command: 'true' }]
`,
  });
  const { code, stderr, stdout } = await runCli(['run', 'w.yaml'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain('completed');
  expect(stderr).toContain(
    `not notified of finished: webhook http://127.0.0.1:${hook.port}/***: no answer yet`,
  );
  expect(stderr).not.toContain('s3cret');
  hook.answer.status = 200;
  const again = await runCli(['run', '1'], { cwd });
  expect(again.stderr).not.toContain('not notified');
  expect(hook.received.map(({ body }) => body.event)).toEqual(['finished', 'finished']);
  expect(new Set(hook.received.map(({ key }) => key)).size).toBe(1);
  expect(JSON.parse(readFileSync(join(cwd, 'reported.json'), 'utf8'))).toMatchObject({ event: 'finished' });
  const events = await runCli(['events', '1'], { cwd });
  expect(events.stdout.match(/notification_sent/g)).toHaveLength(2);
}, 60_000);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
