import type { Engine } from '../../contract/engine.ts';
import { isStopped } from '../../views/workflow-state.ts';
import type { Progress } from '../progress/progress.ts';
import { Wakeups } from '../wakeups.ts';

/**
 * Watches a run that another process drives. True when the run has ended, false when the signal
 * aborts, the run was stopped, or the other process is gone.
 */
export async function followRun(
  engine: Engine,
  workflowId: number,
  signal: AbortSignal,
  progress: Progress,
): Promise<boolean> {
  const wakeups = new Wakeups(engine, signal);
  try {
    let isNoted = false;
    while (!signal.aborted) {
      const status = await engine.status(workflowId);
      if (status.complete || status.exit_code !== null) return true;
      if (isStopped(status)) return false;
      const [driver] = status.workers;
      if (driver === undefined) {
        progress.note('the process that ran this workflow has ended');
        return false;
      }
      if (!isNoted) {
        isNoted = true;
        progress.note(`process ${driver.pid} on ${driver.host} runs it; Ctrl-C only stops following`);
      }
      await wakeups.next();
    }
    return false;
  } finally {
    wakeups.stop();
  }
}
