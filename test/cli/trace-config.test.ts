import { describe, expect, test } from 'vitest';
import { parseConfigFile } from '../../src/cli/config/config-file.ts';
import { resolveSettings } from '../../src/cli/config/resolve-settings.ts';
import { makeProject, runCli } from './run-cli.ts';

async function resolved(yaml: string, env: Record<string, string> = {}) {
  return resolveSettings({ flags: {}, env, files: [await parseConfigFile(yaml, 'config.yaml')] });
}

const FILE = 'traces: { endpoint: "https://otel.example.org", headers: { Authorization: { env: KEY } } }';
const ENV = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318/otlp/' };

describe('traces in the configuration', () => {
  test('have an endpoint, headers, a name and attributes', async () => {
    const { settings } = await resolved(FILE);
    expect(settings.traces).toEqual({
      endpoint: 'https://otel.example.org/v1/traces',
      headers: { authorization: { env: 'KEY' } },
      service_name: 'holdfast',
      attributes: {},
    });
    expect((await resolved('keep_work: all')).settings.traces).toBeNull();
  });

  test('are what the standard variables say, before the file', async () => {
    const all = {
      ...ENV,
      OTEL_EXPORTER_OTLP_HEADERS: 'a=1, b = x%2Cy,broken',
      OTEL_SERVICE_NAME: 'lab',
      OTEL_RESOURCE_ATTRIBUTES: 'team=astro',
    };
    const { settings, origins } = await resolved(FILE, all);
    expect(settings.traces).toEqual({
      endpoint: 'http://localhost:4318/otlp/v1/traces',
      headers: { a: '1', b: 'x,y' },
      service_name: 'lab',
      attributes: { team: 'astro' },
    });
    expect(origins.find(({ key }) => key === 'traces')!.source).toBe('OTEL_EXPORTER_OTLP_ENDPOINT');
    const own = { ...all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://tempo:4318/custom' };
    const more = { ...own, OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'c=3' };
    expect((await resolved(FILE, more)).settings.traces).toMatchObject({
      endpoint: 'http://tempo:4318/custom',
      headers: { c: '3' },
    });
  });

  test.each([
    { OTEL_SDK_DISABLED: 'true' },
    { OTEL_TRACES_EXPORTER: 'none' },
    { ...ENV, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  ])('are switched off by %j', async (env) => {
    expect((await resolved(FILE, env)).settings.traces).toBeNull();
  });

  test.each([
    ['traces: { endpont: x }', 'traces there is no key endpont; did you mean "endpoint"?'],
    ['traces: { headers: {} }', 'traces endpoint must be an address like http://localhost:4318'],
    ['traces: { endpoint: "grpc://s3cret" }', 'endpoint must begin with https:// or http://, not grpc://'],
    ['traces: { endpoint: "http://x", headers: { "a b": s3cret } }', '"a b" is not the name of a header'],
    ['traces: { endpoint: "http://x", headers: { a: 1 } }', 'headers: a must be a text, {env: NAME}'],
    ['traces: { endpoint: "http://x", attributes: [a] }', 'traces attributes must be texts by name'],
  ])('refuse %s', async (yaml, message) => {
    await expect(resolved(yaml)).rejects.toThrow(message);
    await expect(resolved(yaml)).rejects.not.toThrow('s3cret');
  });

  test('are shown without secrets', async () => {
    const cwd = makeProject({});
    const traces = '{"endpoint":"http://127.0.0.1:1/x/s3cret","headers":{"key":"s3cret"}}';
    const env = { HOLDFAST_TRACES: traces };
    for (const output of ['table', 'json']) {
      const { code, stdout } = await runCli(['config', 'show', '--output', output], { cwd, env });
      expect([code, stdout.includes('http://127.0.0.1:1/***'), stdout.includes('s3cret')]).toEqual([
        0,
        true,
        false,
      ]);
    }
  });
});
