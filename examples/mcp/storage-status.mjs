// An MCP server of your own, beside Holdfast's: it knows what Holdfast cannot, whether a storage was down. It only
// reports; what is decided is decided through `holdfast mcp`, within its limits.
import { readFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const outages = JSON.parse(readFileSync(new URL('outages.json', import.meta.url), 'utf8'));

serveStdio(() => {
  const server = new McpServer({ name: 'storage-status', version: '1.0.0' });
  server.registerTool(
    'check_storage',
    {
      title: 'Check a storage',
      description:
        'Whether a storage exists, had an outage, and has it behind it. Use it for failed jobs whose stderr says that a connection was refused or timed out, before you decide between retry and fail.',
      inputSchema: z.object({ host: z.string().describe('Name of the storage, without the port.') }),
      outputSchema: z.object({
        host: z.string(),
        verdict: z.enum(['outage_over', 'outage_now', 'no_outage', 'no_such_storage']),
      }),
      annotations: { readOnlyHint: true },
    },
    ({ host }) => {
      const known = Object.hasOwn(outages, host) ? outages[host] : undefined;
      const answer = { host, verdict: verdictOf(known) };
      return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
    },
  );
  return server;
});

function verdictOf(known) {
  if (known === undefined) return 'no_such_storage';
  if (known.outage === null) return 'no_outage';
  return known.is_over ? 'outage_over' : 'outage_now';
}
