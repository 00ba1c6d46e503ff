import type { ServedEngine } from '../../src/contract/engine.ts';
import type { McpRouteFacts } from '../../src/mcp/http-route.ts';

/** What the tools over HTTP need; the engine where one is asked. */
export function mcpFacts(engine?: ServedEngine): McpRouteFacts {
  return {
    engine: engine as ServedEngine,
    version: '0.0.0',
    place: {
      cwd: '.',
      outputDir: 'output',
      offer: { cpus: 1, memory_bytes: 1, gpus: 0, max_parallel: null },
      retryDefaults: {},
    },
    environment: {},
    maxDecisions: 2,
    minConfidence: 0,
  };
}
