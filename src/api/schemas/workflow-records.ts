import { z } from 'zod';
import type {
  FailureHandlerRecord,
  FileRecord,
  StatusCounts,
  UserDataRecord,
  WorkerRecord,
  WorkflowRecord,
  WorkflowStatus,
} from '../../core/records.ts';
import { schemaFor } from '../schema-for.ts';
import { id, jobStatus, millis } from './scalars.ts';

export const workflowRecord = schemaFor<WorkflowRecord>()(
  z
    .object({
      id,
      name: z.string(),
      description: z.string().nullable(),
      user: z.string().nullable(),
      project: z.string().nullable(),
      run_id: id,
      created_at_ms: millis,
      cwd: z.string(),
      output_dir: z.string(),
      max_parallel: z.int().nullable(),
      limits: z.record(z.string(), z.number()),
      job_count: z.int(),
      shared: z.boolean(),
    })
    .meta({ id: 'Workflow' }),
);

export const workerRecord = schemaFor<WorkerRecord>()(
  z
    .object({
      id,
      host: z.string(),
      pid: z.int(),
      site: z.string(),
      labels: z.array(z.string()),
      kind: z.enum(['run', 'service']),
      state: z.enum(['active', 'draining', 'lost', 'retired']),
      alive: z.boolean(),
      cpus: z.number(),
      memory_bytes: z.number(),
      gpus: z.number(),
      running: z.int(),
      registered_at_ms: millis,
      lease_expires_at_ms: millis,
    })
    .meta({ id: 'Worker' }),
);

const counts = schemaFor<StatusCounts>()(z.record(jobStatus, z.int()));
const ofAttempt = { job_id: id, name: z.string(), attempt_id: z.int() };

export const workflowStatus = schemaFor<WorkflowStatus>()(
  z
    .object({
      workflow: workflowRecord,
      counts,
      complete: z.boolean(),
      exit_code: z.union([z.literal(0), z.literal(1), z.literal(3)]).nullable(),
      started_at_ms: millis.nullable(),
      finished_at_ms: millis.nullable(),
      workers: z.array(workerRecord),
      running: z.array(z.object({ ...ofAttempt, started_at_ms: millis })),
      waiting: z.array(
        z.object({
          ...ofAttempt,
          retry_available_at_ms: millis,
          outcome: z.string(),
          reason: z.string(),
        }),
      ),
      failures: z.array(
        z.object({ ...ofAttempt, outcome: z.string(), reason: z.string(), finished_at_ms: millis }),
      ),
      attempts: z.object({ finished: z.int(), mean_success_ms: z.number().nullable() }),
    })
    .meta({ id: 'WorkflowStatus' }),
);

export const failureHandlerRecord = schemaFor<FailureHandlerRecord>()(
  z
    .object({
      id,
      workflow_id: id,
      name: z.string(),
      rules: z.string().describe('JSON of the list of rules.'),
    })
    .meta({ id: 'FailureHandler' }),
);

export const fileRecord = schemaFor<FileRecord>()(
  z
    .object({ path: z.string(), produced_by: z.array(z.string()), needed_by: z.array(z.string()) })
    .meta({ id: 'File' }),
);

export const userDataRecord = schemaFor<UserDataRecord>()(
  z
    .object({ workflow_id: id, name: z.string(), data: z.unknown(), is_ephemeral: z.boolean() })
    .meta({ id: 'UserData' }),
);
