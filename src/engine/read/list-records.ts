import type {
  AttemptQuery,
  DecisionQuery,
  EventQuery,
  JobQuery,
  PageQuery,
  WorkerQuery,
  WorkflowQuery,
} from '../../contract/engine.ts';
import type {
  AttemptRecord,
  AuditRecord,
  EventRecord,
  FileRecord,
  JobDetails,
  JobRecord,
  Page,
  WorkerRecord,
  WorkflowRecord,
} from '../../contract/records/records.ts';
import type { DecisionRecord, Utilization } from '../../contract/records/resolution.ts';
import { HoldfastError } from '../../core/errors.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import type { JobRef } from '../../core/job/job-ref.ts';
import { statusName } from '../../core/job/job-status.ts';
import { listAudit } from '../../store/rows/access/audit-rows.ts';
import { listAttempts } from '../../store/rows/attempts/attempt-rows.ts';
import { listDecisions } from '../../store/rows/attempts/decision-rows.ts';
import { listUsage } from '../../store/rows/attempts/failure-rows.ts';
import { listEvents } from '../../store/rows/events/event-rows.ts';
import { listDependencies } from '../../store/rows/jobs/dependency-rows.ts';
import { listConfigs, listJobs } from '../../store/rows/jobs/job-list-rows.ts';
import { decodeConfig, findWorkflowOfJob } from '../../store/rows/jobs/job-rows.ts';
import { listWorkers } from '../../store/rows/workers/worker-rows.ts';
import { listRequirements, listWorkflows } from '../../store/rows/workflows/workflow-rows.ts';
import { type Script, together } from '../../store/script.ts';
import { needJob, needWorkflow } from '../records/needed-rows.ts';
import { readPage } from '../records/page.ts';
import {
  attemptRecord,
  auditRecord,
  eventRecord,
  jobRecord,
  workerRecord,
  workflowRecord,
} from '../records/records.ts';
import type { IsAlive } from '../workers/adopt-run.ts';
import { decisionRecord, utilizationOf } from './list-failures.ts';

// What is read of the store without deciding anything.

/** Lists that begin with the newest go down from here. */
const NEWEST = Number.MAX_SAFE_INTEGER;

/** Newest first. */
export function* workflowsPage(query: WorkflowQuery): Script<Page<WorkflowRecord>> {
  const list = (before: number, limit: number) =>
    listWorkflows(before, limit, query.archived === true, query.reader);
  return yield* readPage(query, NEWEST, list, workflowRecord, (row) => row.id);
}

export function* jobsPage(workflowId: number, query: JobQuery): Script<Page<JobRecord>> {
  const filter = {
    statuses: query.status ?? null,
    name: query.name ?? null,
    group: query.group ?? null,
    id: null,
    sort: query.sort ?? 'id',
  };
  const list = (after: number, limit: number) => listJobs(workflowId, { ...filter, after, limit });
  const [workflow, { items, next }] = yield* together(
    needWorkflow(workflowId),
    readPage(
      query,
      0,
      list,
      (row) => row,
      (row) => row.id,
    ),
  );
  return { items: items.map((row) => jobRecord(row, workflow.run_id)), next };
}

export function* jobDetails(workflowId: number, ref: JobRef): Script<JobDetails> {
  const workflow = yield* needWorkflow(workflowId);
  const { id, requirement_id } = yield* needJob(workflowId, ref);
  const [row] = yield* listJobs(workflowId, { after: 0, limit: 1, statuses: null, name: null, id });
  const requirements = yield* listRequirements(workflowId);
  const { id: _, ...requirement } = requirements.find((candidate) => candidate.id === requirement_id)!;
  const dependencies = yield* listDependencies(id);
  return {
    ...jobRecord(row!, workflow.run_id),
    config: decodeConfig(row!.config),
    requirement,
    depends_on: dependencies.map(({ job_id, status, ...named }) => ({
      job_id,
      name: jobLabel(named),
      status: statusName(status),
    })),
  };
}

export function* jobOfAny(id: number): Script<JobDetails> {
  const workflowId = yield* findWorkflowOfJob(id);
  if (workflowId === undefined) throw new HoldfastError('NO_SUCH_JOB', { id });
  return yield* jobDetails(workflowId, id);
}

export function* attemptsPage(workflowId: number, query: AttemptQuery): Script<Page<AttemptRecord>> {
  const workflow = yield* needWorkflow(workflowId);
  const filter = {
    job_id: query.job === undefined ? null : (yield* needJob(workflowId, query.job)).id,
    run_id: query.run_id ?? null,
  };
  return yield* readPage(
    query,
    0,
    (after, limit) => listAttempts(workflowId, { ...filter, after, limit }),
    (row) => attemptRecord(row, workflow.output_dir),
    (row) => row.id,
  );
}

export function* eventsPage(workflowId: number, query: EventQuery): Script<Page<EventRecord>> {
  yield* needWorkflow(workflowId);
  const jobId = query.job === undefined ? null : (yield* needJob(workflowId, query.job)).id;
  const descends = query.sort === '-id';
  return yield* readPage(
    query,
    descends ? NEWEST : 0,
    (after, limit) =>
      listEvents(workflowId, { after, limit, job_id: jobId, types: query.type ?? null, descends }),
    eventRecord,
    (row) => row.id,
  );
}

/** Newest first. */
export function* decisionsPage(query: DecisionQuery): Script<Page<DecisionRecord>> {
  const filter = { workflow_id: query.workflow_id ?? null, fingerprint: query.fingerprint ?? null };
  return yield* readPage(
    query,
    NEWEST,
    (before, limit) => listDecisions({ ...filter, before, limit }, query.reader),
    decisionRecord,
    (row) => row.id,
  );
}

export function* utilizationPage(workflowId: number, query: PageQuery): Script<Page<Utilization>> {
  yield* needWorkflow(workflowId);
  return yield* readPage(
    query,
    0,
    (after, limit) => listUsage(workflowId, after, limit),
    utilizationOf,
    (row) => row.job_id,
  );
}

/** Newest first. */
export function* workersPage(query: WorkerQuery, now: number, isAlive: IsAlive): Script<Page<WorkerRecord>> {
  return yield* readPage(
    query,
    NEWEST,
    (before, limit) => listWorkers(before, limit, query.present === true),
    (row) => workerRecord(row, isAlive(row, now), now),
    (row) => row.id,
  );
}

/** Newest first. */
export function* auditPage(query: PageQuery): Script<Page<AuditRecord>> {
  return yield* readPage(query, NEWEST, listAudit, auditRecord, (row) => row.id);
}

export function* filesPage(workflowId: number, query: PageQuery): Script<Page<FileRecord>> {
  yield* needWorkflow(workflowId);
  const { items: jobs, next } = yield* readPage(
    query,
    0,
    (after, limit) => listConfigs(workflowId, after, limit),
    (row) => row,
    (row) => row.id,
  );
  const files = new Map<string, FileRecord>();
  const file = (path: string) => {
    const known = files.get(path) ?? { path, produced_by: [], needed_by: [] };
    files.set(path, known);
    return known;
  };
  for (const { name, scope, config } of jobs) {
    const { input_files: inputFiles, output_files: outputFiles } = decodeConfig(config);
    for (const path of inputFiles) file(path).needed_by.push(jobLabel({ name, scope }));
    for (const path of outputFiles) file(path).produced_by.push(jobLabel({ name, scope }));
  }
  return { items: [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)), next };
}
