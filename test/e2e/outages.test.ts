import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/index.ts';
import { HoldfastProcess } from '../chaos/holdfast-process.ts';
import { until as untilWithin } from '../worker/service-world.ts';

/** Long enough for eight processes on a busy machine; nothing waits for it to pass. */
const until = (what: string, check: () => boolean) => untilWithin(what, check, 100_000);

const SPEC = {
  name: 'long',
  jobs: [
    {
      name: 'job',
      command:
        'echo run >> runs; echo begin; until [ -e go ]; do sleep 0.02; done; echo end; echo end >> ends',
    },
  ],
};

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A server, a worker and whoever follows, each a process with a directory of its own. */
async function makeScene() {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-outage-'));
  const clean = Object.entries(process.env).filter(([key]) => !key.startsWith('HOLDFAST_'));
  const env = { ...Object.fromEntries(clean), XDG_CONFIG_HOME: join(dir, 'no-config') };
  const started: HoldfastProcess[] = [];
  onTestFinished(async () => {
    // The worker first, so that its jobs end with it.
    for (const each of started.reverse()) await each.end('SIGKILL');
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  });
  const url = `http://127.0.0.1:${await freePort()}`;
  const holdfast = (name: string, ...args: string[]) => {
    const cwd = join(dir, name);
    mkdirSync(cwd, { recursive: true });
    const program = new HoldfastProcess(args, { cwd, env });
    started.push(program);
    program.start();
    return program;
  };
  const lines = (name: string) =>
    existsSync(join(dir, 'worker', name))
      ? readFileSync(join(dir, 'worker', name), 'utf8')
          .trim()
          .split('\n')
      : [];
  return { dir, url, holdfast, lines };
}

test('a long job, its worker and everybody who follows it survive an outage of the server (R14)', async () => {
  const { dir, url, holdfast, lines } = await makeScene();
  const server = holdfast('server', 'serve', '--port', new URL(url).port, '--log-level', 'silent');
  await until('the server listens', () => server.output.includes('listening'));
  const worker = holdfast('worker', 'worker', '--server', url, '--lease', '1m');
  await until('the worker is there', () => worker.output.includes('worker 1 is ready'));
  mkdirSync(join(dir, 'run'));
  writeFileSync(join(dir, 'run', 'spec.json'), JSON.stringify(SPEC));
  const run = holdfast('run', 'run', 'spec.json', '--server', url);
  await until('the job runs', () => lines('runs').length === 1);
  const watch = holdfast('watch', 'watch', '1', '--server', url);
  const hasty = holdfast('hasty', 'watch', '1', '--server', url, '--reconnect-timeout', '1500ms');
  const logs = holdfast('logs', 'logs', '1', 'job', '-f', '--server', url);
  const reported: string[] = [];
  const client = connect(url, { onOutage: (line) => reported.push(line) });
  onTestFinished(() => client.close());
  const ended = client.waitForWorkflow(1);
  const seen: { id: number; type: string }[] = [];
  const events = (async () => {
    for await (const { id, type } of client.events(1)) {
      seen.push({ id, type });
      if (type === 'run_finished') return;
    }
  })();
  await until('all of them follow', () => {
    const followers = [run, watch, hasty].every(({ output }) => output.includes('stops following'));
    return followers && logs.output.includes('begin') && seen.length > 0;
  });

  await server.end('SIGKILL');
  await until('all of them have noticed', () =>
    [run, watch, logs].every(({ output }) =>
      output.includes(`cannot reach ${url}: ECONNREFUSED; waiting for the server`),
    ),
  );
  await until('one of them gives up', () => !hasty.isUp);
  expect(hasty.exitCode).toBe(4);
  expect(hasty.output).toContain(`error: cannot reach ${url}: ECONNREFUSED`);
  await until('so has the SDK', () => reported.length > 0);
  // The job ends while nothing can be reported.
  writeFileSync(join(dir, 'worker', 'go'), '');
  await until('the job has ended', () => lines('ends').length === 1);
  expect([run, watch, logs].every(({ isUp }) => isUp)).toBe(true);

  server.start();
  await until('all of them have ended', () => ![run, watch, logs].some(({ isUp }) => isUp));
  expect([run, watch, logs].map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  expect(logs.output).toMatch(/^begin\n.*the server answers again\nend\n$/s);
  expect(run.output).toContain('the server answers again');
  expect(await ended).toMatchObject({ exit_code: 0 });
  await events;
  expect(new Set(seen.map(({ id }) => id)).size, 'each event once').toBe(seen.length);
  expect(lines('runs')).toEqual(['run']);
  expect((await client.engine.listAttempts(1)).items).toMatchObject([
    { state: 'SUCCEEDED', worker_id: 1, attempt_id: 1 },
  ]);
});
