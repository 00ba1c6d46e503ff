import type { Engine } from '../../src/core/engine.ts';
import type { McpRouteFacts } from '../../src/mcp/http-route.ts';

/** What the tools over HTTP need; the engine where one is asked. */
export function mcpFacts(engine?: Engine): McpRouteFacts {
  return {
    engine: engine as Engine,
    version: '0.0.0',
    place: { cwd: '.', outputDir: 'output', offer: { cpus: 1, memoryBytes: 1, gpus: 0 }, retryDefaults: {} },
    environment: {},
    maxDecisions: 2,
    minConfidence: 0,
    onProblem: (problem) => {
      throw new Error(problem);
    },
  };
}
