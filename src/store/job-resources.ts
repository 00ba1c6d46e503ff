import type { JobConfig } from '../core/workflow-model.ts';
import { encodeConfig } from './job-rows.ts';
import { changeOne, insert, type Script } from './script.ts';

/** What the next attempts may use, for this job alone: a requirement that others share is copied first. */
export function* changeResources(
  jobId: number,
  change: { memoryBytes: number | null; runtimeMs: number | null },
  config: JobConfig,
): Script<void> {
  if (change.memoryBytes !== null) {
    yield* changeOne(
      `update job set requirement_id = ? where id = ?`,
      yield* copyRequirement(jobId, change.memoryBytes),
      jobId,
    );
  }
  if (change.runtimeMs !== null) {
    const changed = encodeConfig({ ...config, timeoutMs: change.runtimeMs });
    yield* changeOne('update job set config = ? where id = ?', changed, jobId);
  }
}

function* copyRequirement(jobId: number, memoryBytes: number): Script<number> {
  return yield* insert(
    `insert into requirement (workflow_id, name, cpus, memory_bytes, gpus, nodes, resources)
     select requirement.workflow_id, requirement.name, cpus, ?, gpus, nodes, resources
     from requirement join job on job.requirement_id = requirement.id where job.id = ?`,
    memoryBytes,
    jobId,
  );
}
