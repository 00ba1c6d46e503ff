import type { SimulatedWorker } from './simulated-worker.ts';

/** `quiet`: nothing more happens by itself. `endless`: more would follow after so many executions. `stopped`: by the course. */
export type PlayEnd = 'quiet' | 'endless' | 'stopped';

/** Lets workers work until nothing is left for them, on a clock that jumps from one event to the next. */
export async function playWorkers(
  workers: readonly SimulatedWorker[],
  clock: { now: number },
  { maxExecutions, slots }: { maxExecutions: number; slots?: number },
): Promise<PlayEnd> {
  for (;;) {
    let isBusy = false;
    const times: number[] = [];
    for (const worker of workers) {
      const moment = await worker.exchange(slots);
      if (worker.isStopped) return 'stopped';
      isBusy ||= moment.isBusy;
      // What is due and was not claimed now will not be claimed before something else happens.
      if (moment.nextDueAt !== null && moment.nextDueAt > clock.now) times.push(moment.nextDueAt);
    }
    if (workers.reduce((sum, { executions }) => sum + executions, 0) > maxExecutions) return 'endless';
    if (isBusy) continue;
    for (const worker of workers) {
      const end = worker.nextEnd();
      if (end !== null) times.push(end);
    }
    if (times.length === 0) return 'quiet';
    clock.now = Math.max(clock.now, Math.min(...times));
    for (const worker of workers) worker.endDue();
    // A worker that was silent for long is no alternative for jobs that avoid a site.
    if (workers.length > 1) for (const worker of workers) await worker.exchange(0);
  }
}
