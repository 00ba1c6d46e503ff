import { all, first, type Script } from '../../script.ts';
import { hasWaitingEvaluations } from '../errands/errand-rows.ts';
import { HAS_DUE_OUTPUTS, nextDueOutputs } from '../errands/output-errand-rows.ts';
import { CLAIMABLE, HAS_TO_BE_SCHEDULED, NOT_HELD, WAITS_FOR_RETRY } from '../jobs/state-columns.ts';
import { SHARED_OPEN } from './workflow-rows.ts';

/** Ready jobs are counted up to here. */
const MOST_COUNTED = 128;

const counted = (condition: string) =>
  `(select count(*) from (select 1 from job where job.workflow_id = workflow.id
      and job.requirement_id = requirement.id and ${condition} limit ${MOST_COUNTED}) as counted)`;

/** Shared workflows whose jobs workers of a server may start. */
const TAKEN_FROM = `${SHARED_OPEN} and workflow.paused_at is null and workflow.executor <> 'htcondor'`;

/** How many jobs of shared workflows can start now, by requirement, retries that are due included. */
export function* countWaitingJobs(
  now: number,
): Script<{ workflow_id: number; requirement_id: number; count: number }[]> {
  return yield* all<{ workflow_id: number; requirement_id: number; count: number }>(
    `select * from (
       select workflow.id as workflow_id, requirement.id as requirement_id, ${counted(CLAIMABLE)}
         + ${counted(`${WAITS_FOR_RETRY} and ${NOT_HELD} and job.waiting_until <= ?`)} as count
       from workflow join requirement on requirement.workflow_id = workflow.id where ${TAKEN_FROM}
     ) as waiting where count > 0 order by workflow_id, requirement_id`,
    now,
  );
}

/**
 * Whether there is something that any worker does with its next exchange: code to evaluate, outputs of requests, jobs that
 * waited too long for their start.
 */
export function* hasWaitingErrands(now: number): Script<boolean> {
  const row = yield* first<{ found: number }>(
    `select case when exists (select 1 from workflow where ${SHARED_OPEN} and (${hasWaitingEvaluations('workflow.id')}
         or (workflow.paused_at is null and workflow.executor <> 'htcondor' and exists (select 1 from job
           where job.workflow_id = workflow.id and ${HAS_TO_BE_SCHEDULED} and job.waiting_until <= ?))))
       or ${HAS_DUE_OUTPUTS} then 1 else 0 end as found`,
    now,
    now,
  );
  return row!.found === 1;
}

/** When the next retry, scheduling timeout or errand of outputs of shared workflows becomes due; null: none will. */
export function* nextSharedDueTime(now: number): Script<number | null> {
  const next = (condition: string) =>
    `(select min(job.waiting_until) from job where job.workflow_id = workflow.id and ${condition}
        and job.waiting_until > ?)`;
  const row = yield* first<Record<'retry' | 'scheduling' | 'outputs', number | null>>(
    `select min(retry) as retry, min(scheduling) as scheduling, ${nextDueOutputs} as outputs from (
       select ${next(WAITS_FOR_RETRY)} as retry, ${next(HAS_TO_BE_SCHEDULED)} as scheduling
       from workflow where ${TAKEN_FROM}) as due`,
    now,
    now,
    now,
  );
  const { retry, scheduling, outputs } = row!;
  const known = [retry, scheduling, outputs].filter((at) => at !== null);
  return known.length > 0 ? Math.min(...known) : null;
}

/** Shared workflows with actions that workers run. */
export function* listWithActions(): Script<{ id: number; run_id: number }[]> {
  return yield* all<{ id: number; run_id: number }>(
    `select id, run_id from workflow where ${SHARED_OPEN} and exists (
       select 1 from action where action.workflow_id = workflow.id and action.removed = 0 and action.schedule is null)
     order by id`,
  );
}
