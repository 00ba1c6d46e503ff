import type { ActionTrigger } from '../../../core/model/action.ts';
import { all, first, type Script } from '../../script.ts';

/** An errand that is under way, with what it is about. */
export interface RunningErrandRow {
  id: number;
  kind: string;
  job_id: number | null;
  name: string | null;
  scope: string | null;
  attempt_id: number | null;
  trigger_type: ActionTrigger | null;
  worker_id: number | null;
  started_at: number;
  timeout_ms: number | null;
  cancel_requested: number;
}

/** What runs beside the jobs of a workflow, longest first. */
export function* listRunningErrands(workflowId: number, limit: number): Script<RunningErrandRow[]> {
  return yield* all<RunningErrandRow>(
    `select errand.id, errand.kind, errand.job_id, job.name, job.scope, attempt.attempt_id, action.trigger_type,
       errand.worker_id, errand.started_at, errand.timeout_ms, errand.cancel_requested from errand
     left join job on job.id = errand.job_id left join attempt on attempt.id = errand.token
     left join action on action.id = errand.action_id
     where errand.workflow_id = ? and errand.finished_at is null and errand.started_at is not null
     order by errand.started_at, errand.id limit ?`,
    workflowId,
    limit,
  );
}

/** What a job waits for besides an attempt. */
export interface AwaitedErrand {
  kind: 'post' | 'recovery' | 'evaluation';
  /** null: it waits for a worker. */
  started_at: number | null;
  timeout_ms: number | null;
}

/** The errand that the job waits for; a recovery script that runs on for no retry is not one. */
export function* findAwaitedErrand(jobId: number): Script<AwaitedErrand | undefined> {
  return yield* first<AwaitedErrand>(
    `select errand.kind, errand.started_at, errand.timeout_ms from attempt
     join errand on errand.token = attempt.id and errand.finished_at is null join job on job.id = attempt.job_id
     where attempt.job_id = ? and (errand.kind <> 'recovery' or (job.waiting_for = 'recovery' and job.waiting_token = errand.token))
     order by errand.id desc limit 1`,
    jobId,
  );
}
