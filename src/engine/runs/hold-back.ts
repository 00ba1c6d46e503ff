import { decodeConfig } from '../../core/model/config-text.ts';
import { heldBackBy, heldBackByLeft, type UntilGraph } from '../../core/selection/until.ts';
import { listAllMembers } from '../../store/rows/jobs/selectable-rows.ts';
import { listUntilRows, setUntil, writeHeld } from '../../store/rows/workflows/until-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';

/** The run is to end at the targets: what they do not need is held back. Returns how many jobs that are. */
export function* holdBack(workflowId: number, targets: readonly string[], now: number): Script<number> {
  const held = heldBackBy(targets, yield* loadGraph(workflowId));
  yield* setUntil(workflowId, targets);
  yield* writeHeld(workflowId, held, now);
  return held.length;
}

/** The jobs of a workflow, or what they wait for, are others now. */
export function* holdBackAnew({ id, until }: WorkflowRow, now: number): Script<void> {
  if (until === null) return;
  yield* writeHeld(id, heldBackByLeft(JSON.parse(until) as string[], yield* loadGraph(id)), now);
}

function* loadGraph(workflowId: number): Script<UntilGraph> {
  const rows = yield* listUntilRows(workflowId);
  const members = new Map<number, number[]>();
  for (const { set_id, job_id } of yield* listAllMembers(workflowId)) {
    const known = members.get(set_id);
    if (known === undefined) members.set(set_id, [job_id]);
    else known.push(job_id);
  }
  const jobs = rows.map(({ on_call, blueprint, config, ...row }) => ({
    ...row,
    on_call: on_call === 1,
    is_blueprint: blueprint !== 0,
    config: () => decodeConfig(config),
  }));
  return { jobs, members };
}
