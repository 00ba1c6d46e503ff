import type { JobConfig } from '../../../core/model/workflow-model.ts';
import { changeOne, first, insert, type Script } from '../../script.ts';
import { encodeConfig } from './job-rows.ts';

/** What the next attempts may use, for this job alone: others keep the requirement that it shared with them. */
export function* changeResources(
  jobId: number,
  change: { memoryBytes: number | null; runtimeMs: number | null },
  config: JobConfig,
): Script<void> {
  if (change.memoryBytes === null && change.runtimeMs === null) return;
  yield* changeOne(
    `update job set specified_timeout_ms = case when specified_requirement_id is null then ? else specified_timeout_ms end,
       specified_requirement_id = coalesce(specified_requirement_id, requirement_id), requirement_id = ?, config = ?
     where id = ?`,
    config.timeout_ms,
    yield* changedRequirement(jobId, change),
    change.runtimeMs === null
      ? encodeConfig(config)
      : encodeConfig({ ...config, timeout_ms: change.runtimeMs }),
    jobId,
  );
}

/** One that other jobs were changed to as well, or a new one. Claims look at each requirement, so that few are better. */
function* changedRequirement(
  jobId: number,
  { memoryBytes, runtimeMs }: { memoryBytes: number | null; runtimeMs: number | null },
): Script<number> {
  const same = ['name', 'cpus', 'gpus', 'nodes', 'resources', 'labels']
    .map((column) => `candidate.${column} is not distinct from current.${column}`)
    .join(' and ');
  const known = yield* first<{ id: number }>(
    `select candidate.id from job join requirement as current on current.id = job.requirement_id
       join requirement as candidate on candidate.workflow_id = current.workflow_id and ${same}
         and candidate.memory_bytes is not distinct from coalesce(?, current.memory_bytes)
         and candidate.runtime_ms is not distinct from coalesce(?, current.runtime_ms)
     where job.id = ? order by candidate.id limit 1`,
    memoryBytes,
    runtimeMs,
    jobId,
  );
  if (known !== undefined) return known.id;
  return yield* insert(
    `insert into requirement (workflow_id, name, cpus, memory_bytes, gpus, nodes, resources, labels, runtime_ms)
     select requirement.workflow_id, requirement.name, cpus, coalesce(?, memory_bytes), gpus, nodes, resources, labels,
       coalesce(?, runtime_ms)
     from requirement join job on job.requirement_id = requirement.id where job.id = ?`,
    memoryBytes,
    runtimeMs,
    jobId,
  );
}
