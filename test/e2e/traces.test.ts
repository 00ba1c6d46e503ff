import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/index.ts';
import { makeProject, runCli, until } from '../cli/run-cli.ts';
import { ServedProject } from '../client/served-project.ts';
import { collector } from '../notify/collector.ts';

const SPEC = `name: traced
failure_handlers:
  - name: again
    rules: [{ exit_codes: [3], max_retries: 2, recovery_script: 'echo recovering' }]
jobs:
  - name: shaky
    command: 'echo "$TRACEPARENT" >> seen; test -e second || { touch second; exit 3; }'
    failure_handler: again
`;

test('a run sends its trace where the standard variables say, and its jobs may join it', async () => {
  const { url, spans, requests } = await collector();
  const cwd = makeProject({ 'w.yaml': SPEC });
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=lab%201',
    OTEL_SERVICE_NAME: 'nightly',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  };
  const { code, stderr } = await runCli(['run', 'w.yaml'], { cwd, env });
  expect([code, stderr.includes('not sent')]).toEqual([0, false]);
  expect(requests[0]).toMatchObject({
    path: '/v1/traces',
    headers: { 'content-type': 'application/json', 'x-tenant': 'lab 1' },
    resource: { 'service.name': 'nightly', 'deployment.environment.name': 'test' },
  });
  const run = spans.find(({ parent }) => parent === null)!;
  const attempts = spans.filter(({ name }) => name === 'shaky');
  const script = spans.find(({ name }) => name === 'shaky recovery script')!;
  expect(run).toMatchObject({ name: 'traced', code: 1 });
  expect(attempts.map(({ code: status, parent }) => [status, parent])).toEqual([
    [2, run.id],
    [1, run.id],
  ]);
  expect(script).toMatchObject({ parent: attempts[0]!.id, code: 1 });
  expect(readFileSync(join(cwd, 'seen'), 'utf8').trim().split('\n')).toEqual(
    attempts.map(({ trace, id }) => `00-${trace}-${id}-01`),
  );
  expect(new Set(spans.map(({ id }) => id)).size).toBe(spans.length);
}, 60_000);

test('a run without a collector ends as it would, reports what was not sent, and sends it when it is run again', async () => {
  const { url, spans, answer } = await collector(null);
  const cwd = makeProject({ 'w.yaml': `name: w\njobs: [{ name: a, command: 'true' }]\n` });
  mkdirSync(join(cwd, '.holdfast'), { mode: 0o700 });
  writeFileSync(join(cwd, '.holdfast', 'config.yaml'), `traces: { endpoint: ${url} }\n`);
  const { code, stdout, stderr } = await runCli(['run', 'w.yaml'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain('completed');
  expect(stderr).toContain('spans not sent: traces: no answer yet');
  answer.status = 200;
  const again = await runCli(['run', '1'], { cwd });
  expect(again.stderr).not.toContain('not sent');
  expect(spans.map(({ name }) => name).filter((name) => !name.endsWith('waiting'))).toEqual(['a', 'w']);
}, 60_000);

test('without a collector in the configuration nothing is sent, and OTEL_SDK_DISABLED switches one off', async () => {
  const { url, requests } = await collector();
  const cwd = makeProject({
    'w.yaml': `name: w\njobs: [{ name: a, command: 'echo "[$TRACEPARENT]" > seen' }]\n`,
  });
  const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces` };
  await runCli(['run', 'w.yaml'], { cwd, env: { ...env, OTEL_SDK_DISABLED: 'true' } });
  expect(readFileSync(join(cwd, 'seen'), 'utf8')).toBe('[]\n');
  const { stderr } = await runCli(['run', 'w.yaml'], {
    cwd,
    env: { ...env, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  });
  expect(stderr).toContain('no traces are sent: OTEL_EXPORTER_OTLP_PROTOCOL is grpc');
  expect(requests).toEqual([]);
}, 60_000);

test('a server that is killed and started again sends each span of its workflows once', async () => {
  const { url, spans, answer } = await collector(503);
  const project = new ServedProject();
  mkdirSync(join(project.dir, '.holdfast'), { mode: 0o700 });
  writeFileSync(
    join(project.dir, '.holdfast', 'config.yaml'),
    `traces: { endpoint: ${url}, headers: { authorization: { env: OTLP_SECRET } }, service_name: cluster }\n`,
  );
  process.env.OTLP_SECRET = 'Bearer s3cret';
  onTestFinished(async () => {
    delete process.env.OTLP_SECRET;
    await project.stop('SIGKILL');
  });
  const start = () => project.start('--log-level', 'warn');
  await start();
  const submit = (name: string, command: string) =>
    connect(project.url).submitWorkflow({ name, jobs: [{ name: 'j', command }] });
  const ended = (id: number) =>
    until(async () => (await connect(project.url).engine.status(id)).complete, `workflow ${id} has ended`);
  const { id: first } = await submit('first', 'echo "[$OTLP_SECRET]" > seen');
  await ended(first);
  expect(project.read('seen')).toBe('[]\n');
  await project.stop('SIGKILL');
  answer.status = 200;
  await start();
  const { id: second } = await submit('second', 'true');
  await ended(second);
  await until(() => spans.filter(({ parent }) => parent === null).length === 2, 'both traces were sent');
  expect(spans.filter(({ name }) => name === 'j')).toHaveLength(2);
  expect(new Set(spans.map(({ id }) => id)).size).toBe(spans.length);
}, 120_000);
