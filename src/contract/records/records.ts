import type { z } from 'zod';
import type { jobMarks } from '../schemas/file-marks.ts';
import type {
  attemptSchema,
  eventSchema,
  explanation,
  jobDetailsSchema,
  jobSchema,
  jobWait,
  routeTaken,
  usage,
} from '../schemas/job-records.ts';
import type { auditSchema } from '../schemas/token.ts';
import type {
  failureHandlerRecord,
  fileRecord,
  heldJob,
  runSettings,
  userDataRecord,
  workerSchema,
  workflowSchema,
  workflowStatus,
} from '../schemas/workflow-records.ts';

// The types of the public records, under their names. The schemas describe them; nothing here is loaded at run time.
// `--output json` prints these objects, and over HTTP they are the bodies.

export type WorkflowRecord = z.infer<typeof workflowSchema>;
export type RunSettings = z.infer<typeof runSettings>;
export type WorkflowStatus = z.infer<typeof workflowStatus>;
export type StatusCounts = WorkflowStatus['counts'];
export type FailureHandlerRecord = z.infer<typeof failureHandlerRecord>;
export type FileRecord = z.infer<typeof fileRecord>;
export type JobMarks = z.infer<typeof jobMarks>;
export type UserDataRecord = z.infer<typeof userDataRecord>;

export type WorkerRecord = z.infer<typeof workerSchema>;
export type HeldJob = z.infer<typeof heldJob>;
export type WorkerState = WorkerRecord['state'];
export type AuditRecord = z.infer<typeof auditSchema>;

export type JobRecord = z.infer<typeof jobSchema>;
export type JobDetails = z.infer<typeof jobDetailsSchema>;
export type AttemptRecord = z.infer<typeof attemptSchema>;
export type AttemptState = AttemptRecord['state'];
export type Usage = z.infer<typeof usage>;
export type RouteTaken = z.infer<typeof routeTaken>;
export type EventRecord = z.infer<typeof eventSchema>;
export type EventType = EventRecord['type'];
export type JobWait = z.infer<typeof jobWait>;
export type Explanation = z.infer<typeof explanation>;

/** A page of a list; `next` is the `after` of the following one, null at the end. */
export interface Page<T> {
  items: T[];
  next: number | null;
}
