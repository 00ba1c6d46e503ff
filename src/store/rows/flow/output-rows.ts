import { MEMBER_JOINED, MEMBER_PRODUCER } from '../../../core/flow/flow-part.ts';
import { all, first, placeholders, type Script } from '../../script.ts';

/** It succeeded, or its failure was accepted. */
const COUNTS = `(attempt.cause is null
  or (attempt.counts_as is null and attempt.verdict in ('complete', 'call', 'goto')))`;

/** What the newest success of a job put out; null: nothing that can be used. */
const OUTPUT = `(select attempt.output from attempt where attempt.job_id = job.id and ${COUNTS}
  and attempt.finished_at is not null order by attempt.run_id desc, attempt.attempt_id desc limit 1)`;

/** It has succeeded, and no goto has asked for it again; one that merely serves a call counts. */
const HAS_OUTPUT = `(job.status = 5 or (job.settled = 'succeeded' and job.serves is not null))`;

export interface OutputRow {
  name: string;
  output: string | null;
}

/** Outputs of the completed steps of a scope; of these names only, or of all. */
export function* listOutputs(
  workflowId: number,
  scope: string,
  names: readonly string[] | null,
): Script<OutputRow[]> {
  if (names?.length === 0) return [];
  const some = names === null ? '' : ` and job.name in ${placeholders(names.length)}`;
  return yield* all<OutputRow>(
    `select job.name, ${OUTPUT} as output from job
     where job.workflow_id = ? and job.scope = ? and ${HAS_OUTPUT}${some} order by job.id`,
    workflowId,
    scope,
    ...(names ?? []),
  );
}

/** Every output of the steps of a scope in a run, oldest first. */
export function* listOutputHistory(
  workflowId: number,
  runId: number,
  scope: string,
): Script<{ name: string; output: string }[]> {
  return yield* all<{ name: string; output: string }>(
    `select job.name, attempt.output from attempt join job on job.id = attempt.job_id
     where attempt.workflow_id = ? and attempt.run_id = ? and job.scope = ? and attempt.output is not null
       and attempt.finished_at is not null and ${COUNTS} order by attempt.id`,
    workflowId,
    runId,
    scope,
  );
}

export interface JoinedRow {
  name: string;
  status: number;
  reason: string | null;
  output: string | null;
  item_index: number;
  item: string | null;
}

/** The jobs of the items that a reduce step joins, in the order of the items. */
export function* listJoined(setId: number): Script<JoinedRow[]> {
  return yield* all<JoinedRow>(
    `select job.name, job.status, job.reason, ${OUTPUT} as output, scope.item_index, scope.item
     from dependency_member join job on job.id = dependency_member.job_id
     join scope on scope.workflow_id = job.workflow_id and scope.scope = job.scope
     where dependency_member.set_id = ? and dependency_member.kind = ${MEMBER_JOINED} and job.blueprint = 0 order by job.id`,
    setId,
  );
}

/** Names of the steps whose items a reduce step joins. */
export function* listJoinedNames(setId: number): Script<string[]> {
  const rows = yield* all<{ name: string }>(
    `select distinct job.name from dependency_member join job on job.id = dependency_member.job_id
     where dependency_member.set_id = ? and dependency_member.kind = ${MEMBER_JOINED}`,
    setId,
  );
  return rows.map(({ name }) => name);
}

/** Names of the steps that made no items for a reduce step, because they are disabled. */
export function* listDisabledProducers(setId: number): Script<string[]> {
  const rows = yield* all<{ name: string }>(
    `select job.name from dependency_member join job on job.id = dependency_member.job_id
     where dependency_member.set_id = ? and dependency_member.kind = ${MEMBER_PRODUCER} and job.settled = 'disabled'`,
    setId,
  );
  return rows.map(({ name }) => name);
}

/** The newest output of one job. */
export function* findOutput(jobId: number): Script<unknown> {
  const row = yield* first<{ output: string | null }>(
    `select ${OUTPUT} as output from job where id = ?`,
    jobId,
  );
  return row?.output == null ? null : (JSON.parse(row.output) as unknown);
}
