import type { ServedEngine } from '../../contract/engine.ts';
import type { RunDriver } from '../../contract/run-engine.ts';
import { visibleText } from '../../views/visible-text.ts';
import type { CommandContext } from '../command-context.ts';
import { pauseUnless } from './pause-unless.ts';
import { runDriver } from './run-driver.ts';

/** DAGMan needs a second to end its jobs; who waits longer finds the rest later. */
const PATIENCE_MS = 10_000;

/** Without a server nobody else may be there to remove or halt what DAGMan runs of a workflow that a person has stopped. */
export async function removeDagRuns(
  context: CommandContext,
  engine: ServedEngine,
  only: RunDriver['only'],
): Promise<void> {
  const driver = runDriver(context, only);
  const until = performance.now() + PATIENCE_MS;
  try {
    for (;;) {
      const { problems, open, wait_ms } = await engine.tendRuns(driver);
      if (open === 0) return;
      if (performance.now() >= until || problems.length > 0) {
        for (const problem of problems) context.narrate(`DAGMan: ${visibleText(problem)}`);
        return;
      }
      await pauseUnless(new AbortController().signal, Math.min(wait_ms, 1000));
    }
  } finally {
    await engine.leaveRuns(driver);
  }
}
