import type { ResourceChange, ResourceChangeResult } from '../../contract/records/resolution.ts';
import { HoldfastError } from '../../core/errors.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { parseDuration, parseSize } from '../../core/text/quantity.ts';
import { appendEvent } from '../../store/rows/events/event-rows.ts';
import { changeResources } from '../../store/rows/jobs/job-resources.ts';
import { decodeConfig, type JobRow } from '../../store/rows/jobs/job-rows.ts';
import { listRequirements, type WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';

/** What the next attempts of one job may use. A running attempt keeps what it was started with. */
export function* changeJobResources(
  workflow: WorkflowRow,
  job: JobRow,
  { memory, runtime, actor, dry_run }: ResourceChange,
  now: number,
): Script<ResourceChangeResult> {
  const memoryBytes = memory === undefined ? null : parseSize(memory);
  if (!memoryBytes && memoryBytes !== null) invalid('memory', `must be a size such as 4g, not ${memory}`);
  const runtimeMs = runtime === undefined ? null : parseDuration(runtime, 1000);
  if (!runtimeMs && runtimeMs !== null) invalid('runtime', `must be a duration such as 2h, not ${runtime}`);
  if (memoryBytes === null && runtimeMs === null) invalid('memory', 'nothing is to be changed');
  const config = decodeConfig(job.config);
  const requirement = (yield* listRequirements(workflow.id)).find(({ id }) => id === job.requirement_id)!;
  const result: ResourceChangeResult = {
    job_id: job.id,
    name: jobLabel(job),
    dry_run: dry_run === true,
    memory_bytes: memoryBytes === null ? null : { from: requirement.memory_bytes, to: memoryBytes },
    runtime_ms: runtimeMs === null ? null : { from: config.timeout_ms, to: runtimeMs },
  };
  if (result.dry_run) return result;
  yield* changeResources(job.id, { memoryBytes, runtimeMs }, config);
  yield* appendEvent({
    workflow_id: workflow.id,
    run_id: workflow.run_id,
    job_id: job.id,
    at: now,
    type: 'resources_changed',
    actor,
    reason: `${actor} changed what ${result.name} may use`,
    data: { memory_bytes: result.memory_bytes, runtime_ms: result.runtime_ms },
  });
  return result;
}

function invalid(argument: string, problem: string): never {
  throw new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
