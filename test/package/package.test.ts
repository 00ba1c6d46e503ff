import { execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../cli/run-cli.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const base = mkdtempSync(join(tmpdir(), 'holdfast-package-'));
const prefix = join(base, 'prefix');
const installed = join(prefix, 'lib/node_modules/holdfast');
const bin = join(prefix, 'bin/holdfast');
const env = Object.fromEntries(
  Object.entries({
    ...process.env,
    XDG_CONFIG_HOME: join(base, 'no-config'),
    ...(process.env.HF_TEST_CERTIFICATES && { NODE_EXTRA_CA_CERTS: process.env.HF_TEST_CERTIFICATES }),
  }).filter(([name]) => !/^(?:HOLDFAST_|DATABASE_URL|npm_)/i.test(name)),
) as Record<string, string>;

let tarball = '';
let install: SpawnSyncReturns<string>;

/** What npm says of the configuration of this machine is not about the package. */
const warnings = ({ stderr }: { stderr: string }): string[] =>
  stderr.split('\n').filter((line) => /warn/i.test(line) && !/Unknown \w+ config/.test(line));

function directory(name: string): string {
  const path = join(base, name);
  mkdirSync(path, { recursive: true });
  return path;
}

beforeAll(() => {
  // As in the README.
  execFileSync('npm', ['pack', '--silent', '--pack-destination', base], { cwd: ROOT, stdio: 'ignore' });
  tarball = join(base, readdirSync(base).find((name) => name.endsWith('.tgz'))!);
  // Where no registry can be reached, npm leaves out the optional binaries, and all below holds without them.
  const flags = ['--prefix', prefix, '--prefer-offline', '--fetch-retries=0', '--no-update-notifier'];
  install = spawnSync('npm', ['install', '-g', tarball, ...flags], { cwd: base, env, encoding: 'utf8' });
}, 300_000);
afterAll(() => rmSync(base, { recursive: true, force: true }));

test('it installs into an empty prefix without a warning, in less than 60 MB', () => {
  expect([install.status, warnings(install)], install.stderr).toEqual([0, []]);
  const size = readdirSync(prefix, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(prefix, name)))
    .reduce((sum, found) => sum + (found.isFile() ? found.size : 0), 0);
  expect(size).toBeLessThan(60e6);
  expect(size).toBeGreaterThan(1e6);
  expect(readdirSync(join(prefix, 'share/man/man1'))).toEqual(['holdfast.1']);
});

test('the pages name the file that npm pack writes', () => {
  for (const page of ['README.md', 'docs/install.md']) {
    const named = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/[\w.-]+\.tgz/g)].map(([name]) => name);
    expect([page, [...new Set(named)]]).toEqual([page, [basename(tarball)]]);
  }
});

test('init and run work as installed, with its own SQLite and sandbox', () => {
  const cwd = directory('run');
  const run = (...args: string[]) => spawnSync(bin, args, { cwd, env, encoding: 'utf8' });
  expect(run('init').status).toBe(0);
  expect(run('run', 'workflow.yaml')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('1 job recovered: flaky'),
  });
  // Conditions are evaluated by QuickJS; JSON5 and KDL have parsers of their own.
  writeFileSync(
    join(cwd, 'gate.yaml'),
    'name: gate\nsteps:\n  a: { exec: "true" }\n  b: { exec: "exit 9", depends_on: a, if: "1 > 2" }\n',
  );
  const gate = run('run', 'gate.yaml');
  expect([gate.status, gate.stdout], gate.stderr).toEqual([0, expect.stringContaining('disabled 1')]);
  const others = ['torc.kdl', 'pipeline.json5'].map((name) => join(ROOT, 'examples', name));
  for (const spec of others) expect(run('validate', spec).status, spec).toBe(0);
});

test('a server takes a spec over HTTP, and an agent reads it', async ({ onTestFinished }) => {
  const cwd = directory('served');
  writeFileSync(
    join(cwd, 'one.json'),
    '{ "name": "one", "jobs": [{ "name": "a", "command": "echo it works" }] }',
  );
  const server = spawn(bin, ['serve', '--with-worker', '--port', '0', '--output', 'quiet'], { cwd, env });
  const ended = new Promise((done) => server.on('exit', done));
  onTestFinished(async () => {
    server.kill('SIGTERM');
    await ended;
  });
  let printed = '';
  server.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const url = await until(() => /^http:\S+\n/.exec(printed)?.[0].trim(), 'it listens');

  const ask = (...args: string[]) =>
    spawnSync(bin, [...args, '--server', url], { cwd, env, encoding: 'utf8' });
  expect(ask('submit', 'one.json').status).toBe(0);
  expect(ask('logs', '1', 'a', '--follow').stdout).toBe('it works\n');
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('holdfast_');
  expect(await (await fetch(url)).text()).toContain('<title>Holdfast</title>');

  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: bin, args: ['mcp', '--server', url], cwd, env }));
  onTestFinished(() => client.close());
  const { content } = await client.callTool({ name: 'get_workflow_status', arguments: { workflow_id: 1 } });
  expect(JSON.stringify(content)).toContain('completed');
});

test('npx runs the tarball', () => {
  // With a cache of its own, so that nothing is left in the one of the user; then there are no optional binaries.
  const flags = ['--yes', '--offline', '--omit=optional', '--cache', join(base, 'cache')];
  const npx = spawnSync('npx', [...flags, '--package', tarball, 'holdfast', '--version'], {
    cwd: base,
    env,
    encoding: 'utf8',
  });
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect([npx.status, npx.stdout, warnings(npx)], npx.stderr).toEqual([0, `${version}\n`, []]);
});

test('programs that import it are typed, without a package of ours beside it', () => {
  const cwd = directory('consumer');
  mkdirSync(join(cwd, 'node_modules/@types'), { recursive: true });
  symlinkSync(installed, join(cwd, 'node_modules/holdfast'));
  for (const name of ['node', '../undici-types']) {
    symlinkSync(join(ROOT, 'node_modules/@types', name), join(cwd, 'node_modules/@types', name));
  }
  writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(cwd, 'program.ts'),
    `import { connect, type JobRecord, loadSpec, type WorkflowStatus } from 'holdfast';
const client = connect('http://127.0.0.1:7600');
export const job = await client.submit({ name: 'a', command: 'true' });
export const named: JobRecord['name'] = 'a';
// @ts-expect-error the name of a job is no number
export const wrong: JobRecord['name'] = 1;
// @ts-expect-error there is no such status
export const status: WorkflowStatus['jobs'][number]['status'] = 'sleeping';
// @ts-expect-error there is no such key
await client.submit({ name: 'a', command: 'true', comand: 'true' });
export { loadSpec };
`,
  );
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
  const tsc = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), [...flags, '--ignoreConfig', 'program.ts'], {
    cwd,
    encoding: 'utf8',
  });
  expect([tsc.status, tsc.stdout]).toEqual([0, '']);
});
