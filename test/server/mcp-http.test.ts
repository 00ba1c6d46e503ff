import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { mcpRoutes } from '../../src/mcp/http-route.ts';
import { startServer } from '../../src/server/start-server.ts';
import { mcpFacts } from './mcp-facts.ts';
import { Scene } from './scene.ts';

/** A scene whose server also has the tools, reached over a real socket. */
async function withTools() {
  const scene = await Scene.create();
  const { engine } = scene.world;
  const lines: string[] = [];
  const server = await startServer(engine, {
    host: '127.0.0.1',
    port: 0,
    auth: 'token',
    version: '0',
    routes: [mcpRoutes(mcpFacts(engine))],
    log: { write: (line) => lines.push(line) },
  });
  onTestFinished(() => server.stop());
  const client = async (token: string) => {
    const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    });
    const client = new Client({ name: 'test', version: '0' });
    await client.connect(transport);
    onTestFinished(() => client.close());
    return client;
  };
  return { scene, server, client, lines };
}

const decide = (scene: Scene, action: 'retry' | 'fail') => ({
  name: 'classify_and_resolve_failures',
  arguments: {
    workflow_id: scene.workflow,
    classifications: [{ job_id: scene.jobs.undecided!.id, action, reason: 'flaky' }],
    dry_run: false,
  },
});

describe('the tools for agents over HTTP', () => {
  test('a viewer is given those that read, and cannot call others', async () => {
    const { scene, client } = await withTools();
    const viewer = await client(scene.world.tokens.viewer);
    const { tools } = await viewer.listTools();
    expect(tools.length).toBeGreaterThan(5);
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
    const read = await viewer.callTool({
      name: 'get_workflow_status',
      arguments: { workflow_id: scene.workflow },
    });
    expect(read.isError ?? false).toBe(false);
    const refused = await viewer.callTool(decide(scene, 'retry'));
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused.content)).toContain('the token has the role viewer');
    expect((await scene.world.engine.findJob(scene.jobs.undecided!.id)).status).toBe('pending_failed');
  });

  test('an operator decides, by the name of the token', async () => {
    const { scene, client } = await withTools();
    const operator = await client(scene.world.tokens.operator);
    const names = (await operator.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('classify_and_resolve_failures');
    expect(names).not.toContain('create_workflow');
    const decided = await operator.callTool(decide(scene, 'retry'));
    expect([decided.isError ?? false, JSON.stringify(decided.content)]).toEqual([false, expect.any(String)]);
    const [decision] = (await scene.world.engine.listDecisions()).items;
    expect(decision).toMatchObject({ action: 'retry', actor: 'agent:a-operator' });
  });

  test('nobody gets in without a token, or from a page of another site', async () => {
    const { scene, server } = await withTools();
    const ask = async (headers: Record<string, string>) =>
      (await fetch(`${server.url}/mcp`, { method: 'POST', headers, body: '{}' })).status;
    const json = { 'content-type': 'application/json' };
    expect(await ask(json)).toBe(401);
    const token = { ...json, authorization: `Bearer ${scene.world.tokens.operator}` };
    expect(await ask({ ...token, origin: 'http://evil.example' })).toBe(403);
  });

  test('hide the secret of one job in what another one wrote', async () => {
    const { scene, client } = await withTools();
    const { world } = scene;
    const secret = 'open-sesame-4711';
    const jobs = [
      { name: 'owner', command: 'true', env: { API_TOKEN: secret } },
      { name: 'teller', command: 'exit 1' },
    ];
    const id = await world.submit({ name: 'w', use_pending_failed: true, jobs }, world.tokens.operator);
    const { worker, claims } = await world.claimAll();
    const teller = claims.find(({ job_name }) => job_name === 'teller')!;
    const data = Buffer.from(`used ${secret}\n`);
    await world.engine.putLogs(worker, [{ token: teller.token, stream: 'stderr', offset: 0, data }]);
    await world.finish(worker, teller, { exit_code: 1 });
    const viewer = await client(world.tokens.viewer);
    for (const [name, more] of [
      ['list_pending_failed_jobs', {}],
      ['get_job_logs', { job_id: teller.job_id }],
    ] as const) {
      const reported = await viewer.callTool({ name, arguments: { workflow_id: id, ...more } });
      expect(JSON.stringify(reported)).toContain('used ***');
      expect(JSON.stringify(reported)).not.toContain(secret);
    }
  });

  test('a request that is refused is a line of the log, without the token in it', async () => {
    const { scene, server, lines } = await withTools();
    const token = scene.world.tokens.viewer;
    const { status } = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        'mcp-protocol-version': token,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    });
    expect(status).toBe(400);
    const line = lines.map((each) => JSON.parse(each)).find(({ msg }) => msg === 'mcp');
    expect(line.problem).toContain('hf_***');
    expect(lines.join('')).not.toContain(token);
  });
});
