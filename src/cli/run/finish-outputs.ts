import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../contract/engine.ts';
import type { RequestRecord } from '../../contract/records/request.ts';
import { outputErrandText } from '../../views/requests/output-errand-text.ts';
import { Launchers } from '../../worker/execute/launchers.ts';
import { RunWorker } from '../../worker/run-worker.ts';
import type { CommandContext } from '../command-context.ts';
import { clockTime } from '../terminal/local-time.ts';
import { workerOptions } from './worker-options.ts';

export interface OutputsCourse {
  /** Failed hooks are repeated here, until the last try. Otherwise only what is due is done. */
  isPatient: boolean;
  signal: AbortSignal;
  note(line: string): void;
  /** The worker that can be stopped; null: none is at work. */
  working(worker: RunWorker | null): void;
}

/**
 * Writes manifests and runs hooks that no worker has begun. Workers of a server see to requests that they share, and a
 * process that drives a round sees to those of its request.
 */
export async function finishOutputs(
  context: CommandContext,
  engine: Engine,
  ref: string,
  course: OutputsCourse,
): Promise<void> {
  for (;;) {
    const workflowId = await findServable(engine, await engine.getRequest(ref));
    if (workflowId === null) return;
    await serve(context, engine, workflowId, course);
    const left = (await engine.getRequest(ref)).output_errands.find(({ started_at_ms }) => {
      return started_at_ms === null;
    });
    if (left === undefined || course.signal.aborted) return;
    const later = course.isPatient ? 'Ctrl-C leaves it' : 'it is left';
    const next = context.command('requests', 'run', ref);
    course.note(`${outputErrandText(left, Date.now(), clockTime)}; ${later} to ${next}`);
    if (!course.isPatient) return;
    await sleep(Math.max(0, left.due_at_ms - Date.now()), undefined, { signal: course.signal }).catch(
      () => {},
    );
    if (course.signal.aborted) return;
  }
}

/** A workflow whose run has ended, and through which the outputs of the request can be seen to; null: there is none. */
async function findServable(
  engine: Engine,
  { shared, output_errands }: RequestRecord,
): Promise<number | null> {
  if (shared) return null;
  for (const id of new Set(output_errands.map(({ workflow_id }) => workflow_id))) {
    const { complete, workers } = await engine.status(id);
    if (complete && workers.length === 0) return id;
  }
  return null;
}

async function serve(
  context: CommandContext,
  engine: Engine,
  workflowId: number,
  { working }: OutputsCourse,
): Promise<void> {
  const options = workerOptions(context, workflowId, { labels: [], site: null });
  const launchers = new Launchers(options.stateDir);
  const worker = new RunWorker(engine, options, launchers);
  working(worker);
  try {
    await worker.run();
  } finally {
    working(null);
    void launchers.stop();
  }
}
