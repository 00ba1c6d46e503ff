import { once } from 'node:events';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ServedProject } from '../client/served-project.ts';
import { makeProject, runCli, startCli, until } from './run-cli.ts';

const MIXED = {
  name: 'mixed',
  jobs: [
    { name: 'fine', command: 'echo it works' },
    { name: 'broken', command: 'echo the reason >&2; exit 7' },
  ],
};

describe('without a server', () => {
  test.each([
    ['submit', ['submit', 'mixed.json']],
    ['worker', ['worker']],
  ])('%s is refused with the way out', async (name, args) => {
    const cwd = makeProject({ 'mixed.json': MIXED });
    const { code, stderr } = await runCli(args, { cwd });
    expect([code, stderr]).toEqual([
      2,
      `error: \`holdfast ${name}\` needs a server\nhint: name one with --server URL or HOLDFAST_SERVER, or start one with \`holdfast serve\`\n`,
    ]);
    expect(existsSync(join(cwd, '.holdfast'))).toBe(false);
  });

  test('one that cannot be reached is named by its address', async () => {
    const cwd = makeProject();
    const { code, stderr } = await runCli(['status', '--server', 'http://127.0.0.1:9'], { cwd });
    expect(code).toBe(4);
    expect(stderr).toMatch(
      /^error: cannot reach http:\/\/127\.0\.0\.1:9: .*\nhint: is `holdfast serve` running/,
    );
  });

  test('one that has no TLS is said to have none', async () => {
    const server = createServer((_, response) => void response.writeHead(400).end()).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ask = (url: string) => runCli(['status', '--server', url], { cwd: makeProject() });
    expect(await ask(`https://127.0.0.1:${port}`)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('hint: the server there does not use TLS; is its address http://…?'),
    });
    expect((await ask(`http://127.0.0.1:${port}`)).stderr).toContain('is the address https://…?');
  });

  test.each([
    ['an address that is none', ['--server', 'nowhere'], '--server: must be an address like'],
    ['a password in the address', ['--server', 'http://a:b@host'], 'must have no password in it'],
    [
      'a token file that is not there',
      ['--server', 'http://127.0.0.1:9', '--token-file', 'gone'],
      'gone: there is no such file',
    ],
  ])('%s is refused', async (_, flags, message) => {
    const { code, stderr } = await runCli(['status', ...flags], { cwd: makeProject() });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('serve refuses', () => {
  test.each([
    [
      'an address that others can reach without auth',
      ['--host', '0.0.0.0'],
      '0.0.0.0 is reachable from other machines',
    ],
    ['a port that is none', ['--port', '70000'], '--port: must be at most 65535'],
    ['a lease for workers that have their own', ['--lease', '10m'], '--lease: only with --with-worker'],
    ['a lease that is too short', ['--with-worker', '--lease', '1s'], 'must be a duration from 3s to 7d'],
    ['a log level that is none', ['--log-level', 'inf'], 'not inf; did you mean "info"?'],
    ['a way to ask for tokens that is none', ['--auth', 'basic'], '--auth: must be none or token'],
    ['a label without a word', ['--with-worker', '--label', ' '], '--label: must be a name of at most'],
    ['a proxy that is no address', ['--trust-proxy', 'proxy'], '--trust-proxy: must be addresses like'],
    ['a range that is none', ['--trust-proxy', '::1,10.0.0.0/99'], 'with commas, not 10.0.0.0/99'],
    ['a name with a port', ['--allow-host', 'a.example:8443'], '--allow-host: must be a name or an address'],
    ['a name that is a URL', ['--allow-host', 'https://a.example'], 'not https://a.example'],
    [
      'an address that cannot be listened on',
      ['--host', 'fe80::1', '--auth', 'token', '--port', '0'],
      '--host: cannot listen on fe80::1: ',
    ],
  ])('%s', async (_, flags, message) => {
    const { code, stderr } = await runCli(['serve', ...flags], { cwd: makeProject() });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

test.each([
  ['a role that is none', ['--role', 'root'], '--role: must be viewer, worker, operator or admin, not root'],
  ['a time that cannot be stored', ['--role', 'admin', '--expires', '100000000d'], '--expires: is too long'],
])('token create refuses %s', async (_, flags, message) => {
  const { code, stderr } = await runCli(['token', 'create', '--name', 'a', ...flags], { cwd: makeProject() });
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('serve says that DATABASE_URL is for something else', async () => {
  const env = { DATABASE_URL: 'postgre://ada@db/app' };
  const server = startCli(['serve', '--port', '0'], { cwd: makeProject(), env });
  await until(() => server.output().stderr.includes('DATABASE_URL is no address like'), 'it says so');
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
});

describe('config show', () => {
  test('never shows a token or the password of a database', async () => {
    const cwd = makeProject();
    const env = {
      HOLDFAST_TOKEN: 'hf_very-secret',
      DATABASE_URL: 'postgres://ada:hunter2@db.example/holdfast?sslpassword=hunter3',
    };
    for (const output of ['table', 'json', 'quiet']) {
      const { stdout } = await runCli(['config', 'show', '--output', output], { cwd, env });
      expect(stdout).not.toMatch(/secret|hunter/);
    }
    const { stdout } = await runCli(['config', 'show'], { cwd, env });
    expect(stdout).toMatch(/^token +\*{3} +environment HOLDFAST_TOKEN$/m);
    expect(stdout).toMatch(/^database_url +postgres:\/\/ada:\*{3}@db\.example\/holdfast.* DATABASE_URL$/m);
    const wrong = await runCli(['config', 'show'], { cwd, env: { HOLDFAST_TOKEN: 'two words' } });
    expect(wrong.stderr).toContain('HOLDFAST_TOKEN: token must be a token');
    expect(wrong.stderr).not.toContain('two words');
  });

  test('takes DATABASE_URL only where it is for PostgreSQL', async () => {
    const env = { DATABASE_URL: 'mysql://ada@db/app' };
    const { stdout } = await runCli(['config', 'show'], { cwd: makeProject(), env });
    expect(stdout).toMatch(/^database_url +none +default$/m);
  });
});

describe('a server without a worker', () => {
  const project = new ServedProject({ 'mixed.json': MIXED });
  let flags: string[];
  beforeAll(async () => {
    flags = ['--server', await project.startAlone()];
  });
  afterAll(() => project.stop());

  test('has runs that wait: followers see it, and Ctrl-C changes nothing', async () => {
    const cwd = makeProject({ 'mixed.json': MIXED });
    const run = startCli(['run', 'mixed.json', ...flags], { cwd });
    await until(() => run.output().stderr.includes('no worker is there'), 'it says so');
    run.child.kill('SIGINT');
    const { code, stdout, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toContain(`workflow 1 continues; holdfast cancel 1 ${flags.join(' ')} cancels it`);
    expect(stdout).toContain('queued 2');

    const worker = startCli(['worker', ...flags, '--site', 'lab', '--label', 'big', '-j', '1'], { cwd });
    const followed = await runCli(['run', '1', ...flags], { cwd });
    expect(followed.code).toBe(1);
    expect(followed.stdout).toContain('failed broken: exit 7');
    expect(followed.stdout).toContain('  | the reason');
    expect(followed.stdout).toContain(`next: holdfast explain 1 broken ${flags.join(' ')}`);

    const list = await runCli(['workers', 'list', ...flags], { cwd });
    expect((await runCli(['workers', ...flags], { cwd })).stdout).toBe(list.stdout);
    expect(list.stdout).toMatch(/^ *1 {2}active {2}service .* lab +big /m);
    const drained = await runCli(['workers', 'drain', '1', ...flags], { cwd });
    expect(drained.stdout).toMatch(
      /^worker 1 \(process \d+ on .*\) takes nothing more and leaves; it holds nothing\n$/,
    );
    const left = await worker.ended;
    expect([left.code, left.stderr]).toEqual([0, expect.stringMatching(/^the worker has left$/m)]);
    expect((await runCli(['workers', 'list', ...flags, '--output', 'quiet'], { cwd })).stdout).toBe('');
    expect((await runCli(['workers', 'list', '--all', ...flags, '--output', 'quiet'], { cwd })).stdout).toBe(
      '1\n',
    );
    expect((await runCli(['workers', 'drain', '9', ...flags], { cwd })).stderr).toContain(
      'there is no worker 9',
    );
  });

  test('takes a spec once under a key, and doctor finds it', async () => {
    const cwd = makeProject({ 'mixed.json': MIXED, 'wrong.yaml': 'name: wrong\njobs:\n  - name: a\n' });
    const submit = (file: string, ...more: string[]) =>
      runCli(['submit', file, '--idempotency-key', 'k', ...flags, ...more], { cwd });
    const first = await submit('mixed.json');
    expect(first.code).toBe(0);
    const [, id] = /^workflow (\d+) mixed: 2 jobs\nnext: holdfast run \1 /.exec(first.stdout)!;
    expect((await submit('mixed.json', '--output', 'quiet')).stdout).toBe(`${id}\n`);
    expect((await submit('wrong.yaml')).stderr).toMatch(/^wrong\.yaml:3:5: jobs\[0\]\.command: /);
    writeFileSync(join(cwd, 'other.json'), JSON.stringify({ ...MIXED, name: 'other' }));
    expect((await submit('other.json')).stderr).toContain(`was used for another workflow, ${id}`);
    expect((await runCli(['doctor', ...flags], { cwd })).stdout).toMatch(
      /^ok +server +http\S+, open, admin$/m,
    );
  });
});

/** Looks for a token in its own environment and in those of all processes above it. */
const CURIOUS = {
  name: 'curious',
  jobs: [
    {
      name: 'look',
      command: `count=0; pid=$$
while [ "$pid" -gt 1 ]; do
  if tr '\\0' '\\n' < /proc/$pid/environ | grep -q '=hf_'; then count=$((count + 1)); fi
  pid=$(sed 's/.*) . //; s/ .*//' /proc/$pid/stat)
done
echo "$count secrets"`,
    },
  ],
};

/** A token for each role, by its name. */
async function makeTokens(project: ServedProject, secrets: Record<string, string>): Promise<void> {
  for (const role of ['viewer', 'worker', 'operator', 'admin']) {
    const args = ['token', 'create', '--name', `${role}-ada`, '--role', role, '--output', 'quiet'];
    secrets[role] = (await runCli(args, { cwd: project.dir })).stdout.trim();
  }
}

describe('a server that asks for tokens', () => {
  const project = new ServedProject({ 'mixed.json': MIXED });
  const here = (...args: string[]) => runCli(args, { cwd: project.dir });
  const secrets: Record<string, string> = {};
  /** A command of a person who has a token, or none. */
  const as = (name: string | null, ...args: string[]) =>
    runCli([...args, '--server', project.url], {
      cwd: makeProject({ 'mixed.json': MIXED }),
      env: name === null ? {} : { HOLDFAST_TOKEN: secrets[name]! },
    });

  beforeAll(async () => {
    await project.start('--auth', 'token');
    await makeTokens(project, secrets);
  });
  afterAll(() => project.stop());

  test('answers nobody without one, and each as far as its role goes', async () => {
    expect(Object.values(secrets).every((secret) => /^hf_\S{20,}$/.test(secret))).toBe(true);
    expect(await as(null, 'status')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('HOLDFAST_TOKEN'),
    });
    expect((await as('viewer', 'run', 'mixed.json')).stderr).toMatch(
      /^error: this needs the role operator, and the token has viewer\n/,
    );
    expect((await as('viewer', 'status')).stdout).toBe('no workflows yet\n');
    expect((await as('operator', 'run', 'mixed.json')).code).toBe(1);
    expect((await as('viewer', 'logs', '1', 'fine')).stdout).toBe('it works\n');
    expect((await as('operator', 'token', 'list')).stderr).toContain('this needs the role admin');
    const events = await as('viewer', 'events', '1');
    expect(events.stdout).toMatch(/workflow_created +- +- +operator-ada/);
  });

  test('takes tokens back, and lists them without their secrets', async () => {
    const made = await as(
      'admin',
      'token',
      'create',
      '--name',
      'bob',
      '--role',
      'viewer',
      '--expires',
      '30d',
    );
    expect(made.stdout).toMatch(
      /^token 5 of bob, viewer, expires in 30d.*\n\n {2}hf_\S+\n\nIt is not shown again/,
    );
    secrets.bob = /hf_\S+/.exec(made.stdout)![0];
    expect((await as('bob', 'jobs', '1', '--output', 'quiet')).stdout).toBe('fine\nbroken\n');
    expect((await as('admin', 'token', 'revoke', '5')).stdout).toBe('token 5 of bob is revoked\n');
    await until(async () => (await as('bob', 'status')).code === 2, 'it does not work any more');
    const list = await here('token', 'list');
    expect((await here('token')).stdout).toBe(list.stdout);
    expect(list.stdout).toMatch(/^ *5 {2}bob +viewer +revoked /m);
    expect(list.stdout).not.toContain('hf_');
    expect((await as('admin', 'token', 'revoke', '44')).stderr).toContain('there is no token 44');
  });

  test('ends with 0 when it is asked to', async () => {
    expect(await project.stop('SIGTERM')).toBe(0);
    await project.start('--auth', 'token');
    expect((await as('viewer', 'status', '1', '--output', 'quiet')).stdout).toBe('failed\n');
  });
});

describe('workers of a server that asks for tokens', () => {
  const project = new ServedProject({});
  const secrets: Record<string, string> = {};
  const as = (name: string, ...args: string[]) =>
    runCli([...args, '--server', project.url], {
      cwd: makeProject({ 'spec.json': CURIOUS }),
      env: { HOLDFAST_TOKEN: secrets[name]! },
    });

  beforeAll(async () => {
    mkdirSync(join(project.dir, '.holdfast'));
    writeFileSync(join(project.dir, '.holdfast', 'config.yaml'), 'default_max_retries_failure: 2\n');
    // Without a worker of its own, which might take the job.
    await project.startAlone('--auth', 'token');
    await makeTokens(project, secrets);
  });
  afterAll(() => project.stop());

  test('is given it by a file, never shows it, and hands it to no job', async () => {
    const cwd = makeProject({
      token: `${secrets.operator}\n`,
      'worker.token': `${secrets.worker}\n`,
      'spec.json': CURIOUS,
    });
    const flags = ['--server', project.url, '--token-file', 'token'];
    const run = ['run', 'spec.json', '--server', project.url, '--with-worker'];
    const env = { HOLDFAST_TOKEN: secrets.operator! };
    const before = await as('viewer', 'status');
    expect((await runCli(run, { cwd, env })).stderr).toContain(
      'needs a token with the role worker, and this one has operator; --worker-token-file names a file',
    );
    expect(await as('viewer', 'status')).toEqual(before);
    expect(
      await runCli([...run.slice(0, -1), '--worker-token-file', 'worker.token'], { cwd, env }),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--worker-token-file: only with --with-worker'),
    });
    // A process of its own: what it was started with is what its jobs might read.
    const ran = await startCli([...run, '--worker-token-file', 'worker.token'], { cwd, env }).ended;
    expect(ran.code).toBe(0);
    const id = Number(/^workflow (\d+) /.exec(ran.stdout)![1]);
    expect((await runCli(['logs', String(id), 'look', ...flags], { cwd })).stdout).toBe('0 secrets\n');
    expect((await runCli(['reset-status', String(id), ...flags], { cwd })).stdout).toContain(
      `next: holdfast run ${id} --server ${project.url} --token-file token`,
    );
    const said = project.log;
    for (const secret of Object.values(secrets)) expect(said).not.toContain(secret);
  });

  test('has workers that read nothing, and whose token no job can read', async () => {
    expect((await as('worker', 'status')).stderr).toContain('this needs the role viewer');
    expect((await as('worker', 'workers', 'drain', '1')).stderr).toContain('this needs the role operator');
    expect((await as('operator', 'worker')).stderr).toContain('this needs the role worker');
    const cwd = makeProject();
    const env = { HOLDFAST_TOKEN: secrets.worker! };
    const worker = startCli(['worker', '--server', project.url], { cwd, env });
    const ran = await as('operator', 'run', 'spec.json');
    expect(ran.code).toBe(0);
    const id = /^workflow (\d+) /.exec(ran.stdout)![1]!;
    expect((await as('viewer', 'logs', id, 'look')).stdout).toBe('0 secrets\n');
    const job = await fetch(`${project.url}/api/v1/workflows/${id}/jobs/look`, {
      headers: { authorization: `Bearer ${secrets.viewer}` },
    });
    // The configuration of the server, where neither the spec nor the client says anything.
    expect(await job.json()).toMatchObject({ config: { retry: { max_retries_failure: 2 } } });
    const state = join(cwd, '.holdfast', 'worker.json');
    expect(statSync(state).mode & 0o777).toBe(0o600);
    const [one] = (await as('viewer', 'workers', 'list', '--output', 'quiet')).stdout.trim().split('\n');
    expect((await as('operator', 'workers', 'lost', one!)).stdout).toContain(`worker ${one} (process`);
    worker.child.kill('SIGTERM');
    expect((await worker.ended).stderr).not.toContain('jobs can read');
  });
});
