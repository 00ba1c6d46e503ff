import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { ROOT, readText } from '../docs/markdown.ts';
import { makeWorld } from '../e2e/world.ts';
import type { Answer } from './agent-client.ts';

const EXAMPLE = join(ROOT, 'examples/mcp');

type Servers = Record<string, { command: string; args: string[] }>;

test('an agent asks a server of its own, and decides through ours', async (context) => {
  const world = makeWorld(context, {});
  copyFileSync(join(EXAMPLE, 'workflow.yaml'), join(world.dir, 'workflow.yaml'));
  expect((await world.run('run', 'workflow.yaml')).code).toBe(3);

  const { mcpServers } = JSON.parse(readText('examples/mcp/mcp.json')) as { mcpServers: Servers };
  const connect = async (name: string) => {
    const { command, args } = mcpServers[name]!;
    const words = command === 'holdfast' ? ['bin/holdfast.js', ...args] : args;
    const client = new Client({ name: 'agent', version: '1.0.0' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: words.map((word) => (/\.m?js$/.test(word) ? join(ROOT, word) : word)),
        cwd: world.dir,
        env: { ...(process.env as Record<string, string>), ...world.env },
      }),
    );
    context.onTestFinished(() => client.close());
    return async (tool: string, given: Record<string, unknown>): Promise<Answer> =>
      (await client.callTool({ name: tool, arguments: given })).structuredContent;
  };
  const holdfast = await connect('holdfast');
  const storage = await connect('storage');

  const { jobs } = await holdfast('list_pending_failed_jobs', { workflow_id: 1 });
  const classifications: object[] = [];
  for (const { job_id, stderr } of jobs) {
    const [, host] = /refused to ([\w-]+):/.exec(stderr.untrusted_text)!;
    const { verdict } = await storage('check_storage', { host });
    const action = verdict === 'outage_over' ? 'retry' : 'fail';
    classifications.push({ job_id, action, reason: `${host}: ${verdict}`, confidence: 0.9 });
  }
  const { jobs: decided } = await holdfast('classify_and_resolve_failures', {
    workflow_id: 1,
    classifications,
  });
  const byName = (a: Answer, b: Answer) => a.name.localeCompare(b.name);
  expect(decided.sort(byName)).toMatchObject([
    { name: 'fetch_calibration', action: 'fail', result: 'resolved' },
    { name: 'fetch_runs', action: 'retry', result: 'resolved' },
  ]);

  world.write('storage-a.up');
  expect((await world.run('run', '1')).code).toBe(1);
  expect((await world.jobs()).map(({ name, status }) => [name, status])).toEqual([
    ['fetch_runs', 'completed'],
    ['fetch_calibration', 'failed'],
    ['merge', 'completed'],
  ]);
});

test('the page shows the server of the example as it is', () => {
  const page = readText('docs/ai-recovery.md');
  expect(page).toContain(readFileSync(join(EXAMPLE, 'mcp.json'), 'utf8'));
  expect(page).toContain(readFileSync(join(EXAMPLE, 'storage-status.mjs'), 'utf8'));
});
