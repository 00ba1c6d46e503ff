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
  const server = await startServer(engine, {
    host: '127.0.0.1',
    port: 0,
    auth: 'token',
    version: '0',
    routes: [mcpRoutes({ ...mcpFacts(engine), onProblem: () => {} })],
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
  return { scene, server, client };
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
});
