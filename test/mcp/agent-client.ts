import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { TestContext } from 'vitest';
import type { World } from '../e2e/world.ts';

const BIN = fileURLToPath(new URL('../../bin/holdfast.js', import.meta.url));

export interface Refusal {
  code: string;
  message: string;
  next: string;
}

// What a tool answers is of any shape; tests look at what they know to be there.
// biome-ignore lint/suspicious/noExplicitAny: as above
export type Answer = any;

/** An agent's end of `holdfast mcp`, which checks answers against the schemas that the server lists. */
export class AgentClient {
  readonly client: Client;
  /** Everything that was ever answered, as it came. */
  readonly heard: string[] = [];

  private constructor(client: Client) {
    this.client = client;
  }

  static async connect(
    { onTestFinished }: TestContext,
    world: World,
    flags: string[] = [],
    { env = {}, ...options }: ClientOptions & { env?: Record<string, string> } = {},
  ): Promise<AgentClient> {
    const clean = Object.entries(process.env).filter(([name]) => !name.startsWith('HOLDFAST_'));
    const client = new Client({ name: 'test-agent', version: '1.0.0' }, options);
    const agent = new AgentClient(client);
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [BIN, 'mcp', ...flags],
        cwd: world.dir,
        env: {
          ...(Object.fromEntries(clean) as Record<string, string>),
          XDG_CONFIG_HOME: join(world.dir, '.no-config'),
          ...world.env,
          ...env,
        },
        stderr: 'inherit',
      }),
    );
    onTestFinished(() => client.close());
    // The schemas of answers are known from here on.
    await client.listTools();
    return agent;
  }

  /** What the tool answers; fails if that is an error. */
  async ask(name: string, args: Record<string, unknown> = { workflow_id: 1 }): Promise<Answer> {
    const result = await this.client.callTool({ name, arguments: args });
    this.heard.push(JSON.stringify(result));
    if (result.isError === true) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
    return result.structuredContent;
  }

  /** The error that the tool answers with; fails if there is none. */
  async refusal(name: string, args: Record<string, unknown> = { workflow_id: 1 }): Promise<Refusal> {
    const result = await this.client.callTool({ name, arguments: args });
    this.heard.push(JSON.stringify(result));
    const [first] = result.content;
    if (result.isError !== true || first?.type !== 'text') throw new Error(`${name} was not refused`);
    return (JSON.parse(first.text) as { error: Refusal }).error;
  }

  pending(): Promise<Answer> {
    return this.ask('list_pending_failed_jobs');
  }

  classify(classifications: object[], more: object = {}): Promise<Answer> {
    return this.ask('classify_and_resolve_failures', { workflow_id: 1, classifications, ...more });
  }

  classifyRefused(classifications: object[], more: object = {}): Promise<Refusal> {
    return this.refusal('classify_and_resolve_failures', { workflow_id: 1, classifications, ...more });
  }
}
