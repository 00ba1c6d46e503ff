import type { Engine } from '../../contract/engine.ts';
import { formatDuration } from '../../core/text/quantity.ts';

/** What a first Ctrl-C does to the jobs that run here, and what a second one does. */
export async function stoppingText(
  engine: Pick<Engine, 'status'>,
  workflowId: number,
  graceMs: number,
): Promise<string> {
  // Printed even if the state cannot be read any more: the number is the least of it.
  const count = await engine.status(workflowId).then(
    ({ counts }) => counts.pending + counts.running,
    () => null,
  );
  if (count === 0) return 'stopping; nothing is running';
  const running = count === null ? 'the running jobs' : `${count} running ${count === 1 ? 'job' : 'jobs'}`;
  const them = count === 1 ? 'it' : 'them';
  return `stopping ${running} (grace ${formatDuration(graceMs)}); press Ctrl-C again to kill ${them}`;
}
