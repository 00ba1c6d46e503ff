// An agent without a model: a real MCP client, started as an agent is. The first argument names what it does; the
// others are those of the command. Everything it learns is printed, one JSON line each.
import { readFileSync, statSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { BEHAVIOURS } from './behaviours.mjs';

const [behaviour, ...words] = process.argv.slice(2);
const configPath = words[words.indexOf('--mcp-config') + 1];
const prompt = readFileSync(0, 'utf8');
const say = (what, value) => console.log(JSON.stringify({ [what]: value }));

say('words', words);
say('prompt', prompt);
say('config', { path: configPath, mode: (statSync(configPath).mode & 0o777).toString(8) });

const { command, args } = JSON.parse(readFileSync(configPath, 'utf8')).mcpServers.holdfast;
const client = new Client({ name: 'test-agent', version: '1.0.0' });
// As real clients do: only variables that are safe reach the server, and the mark of the test.
const env = { ...getDefaultEnvironment(), HF_TEST_WORLD: process.env.HF_TEST_WORLD ?? '' };
await client.connect(new StdioClientTransport({ command, args, env, stderr: 'inherit' }));

/** The answer of a tool; a refusal has `refused`. */
async function call(name, given) {
  try {
    const { isError, structuredContent, content } = await client.callTool({ name, arguments: given });
    const text = content?.map((part) => part.text).join('\n');
    const answer = isError ? { refused: text } : (structuredContent ?? JSON.parse(text));
    say(name, isError ? answer : answer.summary);
    return answer;
  } catch (error) {
    say(name, { refused: error.message });
    return { refused: error.message };
  }
}

const workflow_id = Number(/workflow_id (\d+)/.exec(prompt)[1]);
await BEHAVIOURS[behaviour]({
  say,
  call,
  workflow_id,
  list: async () => (await call('list_pending_failed_jobs', { workflow_id })).jobs ?? [],
  classify: (classifications, more = {}) =>
    call('classify_and_resolve_failures', { workflow_id, classifications, ...more }),
  tools: async () => (await client.listTools()).tools.map(({ name }) => name),
});
await client.close();
