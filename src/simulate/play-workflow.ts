import type { Engine } from '../contract/engine.ts';
import type { WorkflowModel } from '../core/model/workflow-model.ts';
import { labelsOf } from '../core/placement/fit.ts';
import { openMemoryEngine } from '../engine/open-engine.ts';
import { playWorkers } from './play-workers.ts';
import { type SimulatedCourse, SimulatedWorker } from './simulated-worker.ts';

/** `waiting`: for a decision. `endless`: more would follow after so many executions. `stopped`: by the course. */
export type SimulatedEnd = 'complete' | 'waiting' | 'endless' | 'stuck' | 'stopped';

/** A workflow that was played, in the engine that played it. */
export interface PlayedWorkflow {
  engine: Engine;
  workflowId: number;
  /** Times of records count from this one. */
  beginning: number;
  endedAt: number;
  end: SimulatedEnd;
}

/** Plays a workflow in an engine of its own and reads the result from it; nothing is launched or kept. */
export async function playWorkflow<T>(
  model: WorkflowModel,
  course: (engine: Engine, clock: { now: number }) => SimulatedCourse,
  read: (played: PlayedWorkflow) => Promise<T>,
): Promise<T> {
  const beginning = Date.now();
  const clock = { now: beginning };
  const engine = openMemoryEngine(() => clock.now);
  try {
    const { id } = await engine.createWorkflow({ model, cwd: '/', output_dir: 'output', actor: 'simulate' });
    const played = course(engine, clock);
    const worker = new SimulatedWorker(engine, clock, played, { workflowId: id, labels: labelsOf(model) });
    try {
      const end = await playWorkers([worker], clock, played);
      const workflowEnd = end === 'quiet' ? await endOf(engine, id) : end;
      return await read({ engine, workflowId: id, beginning, endedAt: clock.now, end: workflowEnd });
    } finally {
      await worker.stop();
    }
  } finally {
    await engine.close();
  }
}

async function endOf(engine: Engine, workflowId: number): Promise<SimulatedEnd> {
  const status = await engine.status(workflowId);
  if (status.complete) return 'complete';
  return status.exit_code === 3 ? 'waiting' : 'stuck';
}
