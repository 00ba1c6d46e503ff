import type { AttemptQuery, DecisionQuery, EventQuery, JobQuery, PageQuery } from '../core/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import { jobLabel } from '../core/job-label.ts';
import type { JobRef } from '../core/job-ref.ts';
import { statusName } from '../core/job-status.ts';
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
} from '../core/records.ts';
import type { DecisionRecord, Utilization } from '../core/resolution.ts';
import { listAttempts } from '../store/attempt-rows.ts';
import { listAudit } from '../store/audit-rows.ts';
import { listDecisions } from '../store/decision-rows.ts';
import { listDependencies } from '../store/dependency-rows.ts';
import { listEvents } from '../store/event-rows.ts';
import { listUsage } from '../store/failure-rows.ts';
import { listConfigs, listJobs } from '../store/job-list-rows.ts';
import { decodeConfig, findWorkflowOfJob } from '../store/job-rows.ts';
import type { Script } from '../store/script.ts';
import { listWorkers, type WorkerRow } from '../store/worker-rows.ts';
import { listRequirements, listWorkflows } from '../store/workflow-rows.ts';
import { decisionRecord, utilizationOf } from './list-failures.ts';
import { needJob, needWorkflow } from './needed-rows.ts';
import { page, pageLimit } from './page.ts';
import { attemptRecord, eventRecord, jobRecord, workerRecord, workflowRecord } from './records.ts';

// What is read of the store without deciding anything.

/** Newest first. */
export function* workflowsPage(query: PageQuery): Script<Page<WorkflowRecord>> {
  const limit = pageLimit(query);
  const rows = yield* listWorkflows(query.after ?? Number.MAX_SAFE_INTEGER, limit);
  return page(rows, limit, workflowRecord, (row) => row.id);
}

export function* jobsPage(workflowId: number, query: JobQuery): Script<Page<JobRecord>> {
  const limit = pageLimit(query);
  const workflow = yield* needWorkflow(workflowId);
  const rows = yield* listJobs(workflowId, {
    after: query.after ?? 0,
    limit,
    statuses: query.statuses ?? null,
    name: query.name ?? null,
    id: null,
    sort: query.sort ?? 'id',
  });
  return page(
    rows,
    limit,
    (row) => jobRecord(row, workflow.run_id),
    (row) => row.id,
  );
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
  const limit = pageLimit(query);
  const workflow = yield* needWorkflow(workflowId);
  const rows = yield* listAttempts(workflowId, {
    after: query.after ?? 0,
    limit,
    job_id: query.job === undefined ? null : (yield* needJob(workflowId, query.job)).id,
    run_id: query.run_id ?? null,
  });
  return page(
    rows,
    limit,
    (row) => attemptRecord(row, workflow.output_dir),
    (row) => row.id,
  );
}

export function* eventsPage(workflowId: number, query: EventQuery): Script<Page<EventRecord>> {
  const limit = pageLimit(query);
  yield* needWorkflow(workflowId);
  const rows = yield* listEvents(workflowId, {
    after: query.after ?? 0,
    limit,
    job_id: query.job === undefined ? null : (yield* needJob(workflowId, query.job)).id,
  });
  return page(rows, limit, eventRecord, (row) => row.id);
}

/** Newest first. */
export function* decisionsPage(query: DecisionQuery): Script<Page<DecisionRecord>> {
  const limit = pageLimit(query);
  const rows = yield* listDecisions({
    before: query.after ?? Number.MAX_SAFE_INTEGER,
    limit,
    workflow_id: query.workflow_id ?? null,
    fingerprint: query.fingerprint ?? null,
  });
  return page(rows, limit, decisionRecord, (row) => row.id);
}

export function* utilizationPage(workflowId: number, query: PageQuery): Script<Page<Utilization>> {
  const limit = pageLimit(query);
  yield* needWorkflow(workflowId);
  const rows = yield* listUsage(workflowId, query.after ?? 0, limit);
  return page(rows, limit, utilizationOf, (row) => row.job_id);
}

/** Newest first. */
export function* workersPage(
  query: PageQuery,
  isAlive: (worker: WorkerRow) => boolean,
): Script<Page<WorkerRecord>> {
  const limit = pageLimit(query);
  const rows = yield* listWorkers(query.after ?? Number.MAX_SAFE_INTEGER, limit);
  return page(
    rows,
    limit,
    (row) => workerRecord(row, isAlive(row)),
    (row) => row.id,
  );
}

/** Newest first. */
export function* auditPage(query: PageQuery): Script<Page<AuditRecord>> {
  const limit = pageLimit(query);
  const rows = yield* listAudit(query.after ?? Number.MAX_SAFE_INTEGER, limit);
  return page(
    rows,
    limit,
    ({ at, ...entry }) => ({ ...entry, at_ms: at }),
    (row) => row.id,
  );
}

export function* filesOf(workflowId: number): Script<FileRecord[]> {
  yield* needWorkflow(workflowId);
  const files = new Map<string, FileRecord>();
  const file = (path: string) => {
    const known = files.get(path) ?? { path, produced_by: [], needed_by: [] };
    files.set(path, known);
    return known;
  };
  for (const { name, scope, config } of yield* listConfigs(workflowId)) {
    const { inputFiles, outputFiles } = decodeConfig(config);
    for (const path of inputFiles) file(path).needed_by.push(jobLabel({ name, scope }));
    for (const path of outputFiles) file(path).produced_by.push(jobLabel({ name, scope }));
  }
  return [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
