import type { NewWorkflowPlace } from '../../mcp/session.ts';
import type { CommandContext } from '../command-context.ts';
import { retryDefaults } from '../read-spec.ts';

const ANYTHING = Number.POSITIVE_INFINITY;

/** Where the workers of a server run what agents create. They have places and machines of their own. */
export function placeOfWorkers({ settings, origins }: CommandContext): NewWorkflowPlace {
  return {
    cwd: '.',
    outputDir: settings.output_dir,
    offer: { cpus: ANYTHING, memory_bytes: ANYTHING, gpus: ANYTHING, max_parallel: null },
    retryDefaults: retryDefaults(origins),
  };
}
