import type { WalkStep } from '../core/decision.ts';
import type {
  AddedEvent,
  Adoption,
  AttemptQuery,
  CancelRequest,
  CancelResult,
  DecisionQuery,
  Engine,
  EventQuery,
  JobQuery,
  JobRef,
  NewWorkflow,
  PageQuery,
  ResetRequest,
  ResetResult,
  RetryRequest,
} from '../core/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import type { Exchange, ExchangeResult, WorkerIdentity } from '../core/exchange.ts';
import { jobLabel } from '../core/job-label.ts';
import { statusName } from '../core/job-status.ts';
import type {
  AttemptRecord,
  EventRecord,
  Explanation,
  JobDetails,
  JobRecord,
  Page,
  WorkerRecord,
  WorkflowRecord,
  WorkflowStatus,
} from '../core/records.ts';
import type {
  DecisionRecord,
  FailureGroup,
  FailureQuery,
  RecoverRequest,
  RecoverResult,
  ResolveRequest,
  ResolveResult,
  ResourceChange,
  ResourceChangeResult,
  Utilization,
} from '../core/resolution.ts';
import { listAttempts } from '../store/attempt-rows.ts';
import { listDecisions } from '../store/decision-rows.ts';
import { listDependencies } from '../store/dependency-rows.ts';
import { appendEvent, listEvents } from '../store/event-rows.ts';
import { listUsage } from '../store/failure-rows.ts';
import { decodeConfig, findJob, type JobRow, listJobs } from '../store/job-rows.ts';
import type { Script } from '../store/script.ts';
import type { Store } from '../store/store.ts';
import { findWorker, insertWorker, listWorkersOf, type WorkerRow } from '../store/worker-rows.ts';
import { findWorkflow, listRequirements, listWorkflows, type WorkflowRow } from '../store/workflow-rows.ts';
import { adoptRun, retireWorker } from './adopt-run.ts';
import { cancelWorkflow } from './cancel-workflow.ts';
import { changeJobResources } from './change-resources.ts';
import { createWorkflow } from './create-workflow.ts';
import { exchange } from './exchange.ts';
import { explainJob } from './explain-job.ts';
import { decisionRecord, listFailures, utilizationOf } from './list-failures.ts';
import { isProcessAlive } from './process-identity.ts';
import { readStatus } from './read-status.ts';
import { attemptRecord, eventRecord, jobRecord, workerRecord, workflowRecord } from './records.ts';
import { recoverWorkflow } from './recover-workflow.ts';
import { resetStatus } from './reset-status.ts';
import { resolveJobs } from './resolve-jobs.ts';
import { retryJob } from './retry-job.ts';
import type { WakeChannel } from './wake-channel.ts';

export const LEASE_MS = 30_000;

const DEFAULT_PAGE = 100;
const LARGEST_PAGE = 1_000;

/** The engine in this process, over a store. Every change is one transaction, told to others after its commit. */
export class LocalEngine implements Engine {
  private readonly store: Store;
  private readonly wake: WakeChannel;
  private readonly clock: () => number;

  constructor(store: Store, wake: WakeChannel, clock: () => number) {
    this.store = store;
    this.wake = wake;
    this.clock = clock;
  }

  async createWorkflow(workflow: NewWorkflow): Promise<WorkflowRecord> {
    const id = await this.write((now) => createWorkflow(workflow, now));
    return this.getWorkflow(id);
  }

  getWorkflow(id: number): Promise<WorkflowRecord> {
    return this.store.read(function* () {
      return workflowRecord(yield* needWorkflow(id));
    });
  }

  async listWorkflows(query: PageQuery = {}): Promise<Page<WorkflowRecord>> {
    const limit = pageLimit(query);
    const rows = await this.store.read(() => listWorkflows(query.after ?? Number.MAX_SAFE_INTEGER, limit));
    return page(rows, limit, workflowRecord, (row) => row.id);
  }

  status(workflowId: number): Promise<WorkflowStatus> {
    const now = this.clock();
    return this.store.read(function* () {
      return yield* readStatus(yield* needWorkflow(workflowId), now, isAlive);
    });
  }

  listJobs(workflowId: number, query: JobQuery = {}): Promise<Page<JobRecord>> {
    const limit = pageLimit(query);
    return this.store.read(function* () {
      const workflow = yield* needWorkflow(workflowId);
      const rows = yield* listJobs(workflowId, {
        after: query.after ?? 0,
        limit,
        statuses: query.statuses ?? null,
        name: query.name ?? null,
        id: null,
      });
      return page(
        rows,
        limit,
        (row) => jobRecord(row, workflow.run_id),
        (row) => row.id,
      );
    });
  }

  getJob(workflowId: number, job: JobRef): Promise<JobDetails> {
    return this.store.read(() => readJob(workflowId, job));
  }

  listAttempts(workflowId: number, query: AttemptQuery = {}): Promise<Page<AttemptRecord>> {
    const limit = pageLimit(query);
    return this.store.read(function* () {
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
    });
  }

  listEvents(workflowId: number, query: EventQuery = {}): Promise<Page<EventRecord>> {
    const limit = pageLimit(query);
    return this.store.read(function* () {
      yield* needWorkflow(workflowId);
      const rows = yield* listEvents(workflowId, {
        after: query.after ?? 0,
        limit,
        job_id: query.job === undefined ? null : (yield* needJob(workflowId, query.job)).id,
      });
      return page(rows, limit, eventRecord, (row) => row.id);
    });
  }

  explain(workflowId: number, job: JobRef): Promise<Explanation> {
    const now = this.clock();
    return this.store.read(function* () {
      const workflow = yield* needWorkflow(workflowId);
      const details = yield* readJob(workflowId, job);
      const attempts = yield* listAttempts(workflowId, {
        after: 0,
        limit: LARGEST_PAGE,
        job_id: details.id,
        run_id: null,
      });
      const workers = yield* listWorkersOf(workflow.id, workflow.run_id);
      return explainJob({
        job: details,
        attempts: attempts.map((row) => ({
          attempt: attemptRecord(row, workflow.output_dir),
          walk: row.walk === null ? [] : (JSON.parse(row.walk) as WalkStep[]),
        })),
        driven: workers.some((worker) => isAlive(worker, now)),
        now,
      });
    });
  }

  cancel(workflowId: number, request: CancelRequest): Promise<CancelResult> {
    return this.write((now) => cancelWorkflow(workflowId, request, now, isAlive));
  }

  resetStatus(workflowId: number, request: ResetRequest): Promise<ResetResult> {
    return this.write((now) => resetStatus(workflowId, request, now, isAlive));
  }

  async retryJob(workflowId: number, job: JobRef, request: RetryRequest): Promise<JobRecord> {
    await this.write(function* (now) {
      yield* retryJob(yield* needWorkflow(workflowId), yield* needJob(workflowId, job), request, now);
    });
    return this.getJob(workflowId, job);
  }

  resolve(workflowId: number, request: ResolveRequest): Promise<ResolveResult> {
    return this.write(function* (now) {
      return yield* resolveJobs(yield* needWorkflow(workflowId), request, now);
    });
  }

  listFailures(workflowId: number, query: FailureQuery = {}): Promise<FailureGroup[]> {
    return this.store.read(function* () {
      return yield* listFailures(yield* needWorkflow(workflowId), query);
    });
  }

  async listDecisions(query: DecisionQuery = {}): Promise<Page<DecisionRecord>> {
    const limit = pageLimit(query);
    const rows = await this.store.read(() =>
      listDecisions({
        before: query.after ?? Number.MAX_SAFE_INTEGER,
        limit,
        workflow_id: query.workflow_id ?? null,
        fingerprint: query.fingerprint ?? null,
      }),
    );
    return page(rows, limit, decisionRecord, (row) => row.id);
  }

  recover(workflowId: number, request: RecoverRequest): Promise<RecoverResult> {
    return this.write(function* (now) {
      return yield* recoverWorkflow(yield* needWorkflow(workflowId), request, now, isAlive);
    });
  }

  changeResources(workflowId: number, job: JobRef, change: ResourceChange): Promise<ResourceChangeResult> {
    return this.write(function* (now) {
      const workflow = yield* needWorkflow(workflowId);
      return yield* changeJobResources(workflow, yield* needJob(workflowId, job), change, now);
    });
  }

  utilization(workflowId: number, query: PageQuery = {}): Promise<Page<Utilization>> {
    const limit = pageLimit(query);
    return this.store.read(function* () {
      yield* needWorkflow(workflowId);
      const rows = yield* listUsage(workflowId, query.after ?? 0, limit);
      return page(rows, limit, utilizationOf, (row) => row.job_id);
    });
  }

  async addEvent(workflowId: number, { type, actor, reason, data }: AddedEvent): Promise<void> {
    await this.write(function* (now) {
      const { id, run_id } = yield* needWorkflow(workflowId);
      yield* appendEvent({ workflow_id: id, run_id, at: now, type, actor, reason, data });
    });
  }

  async registerWorker(identity: WorkerIdentity): Promise<WorkerRecord> {
    const row = await this.write(function* (now) {
      return yield* findWorker(yield* insertWorker(identity, now, LEASE_MS));
    });
    return workerRecord(row!, true);
  }

  async adopt(workflowId: number, workerId: number): Promise<Adoption> {
    const adoption = await this.write((now) => adoptRun(workflowId, workerId, now, isAlive));
    if (adoption.mode === 'drive') return adoption;
    return { mode: 'follow', worker: workerRecord(adoption.worker, true) };
  }

  async exchange(workerId: number, request: Exchange): Promise<ExchangeResult> {
    const now = this.clock();
    const { changed, ...result } = await this.store.write(() => exchange(workerId, request, now, LEASE_MS));
    if (changed) this.wake.poke();
    return result;
  }

  async retireWorker(workerId: number): Promise<void> {
    await this.write((now) => retireWorker(workerId, now));
  }

  onChange(listener: () => void): () => void {
    return this.wake.listen(listener);
  }

  async close(): Promise<void> {
    await this.wake.close();
    await this.store.close();
  }

  private async write<T>(script: (now: number) => Script<T>): Promise<T> {
    const now = this.clock();
    const value = await this.store.write(() => script(now));
    this.wake.poke();
    return value;
  }
}

/** On this host the process itself is asked; elsewhere only the lease can tell. */
function isAlive(worker: WorkerRow, now: number): boolean {
  if (worker.retired_at !== null) return false;
  return isProcessAlive(worker) ?? worker.lease_expires_at > now;
}

function* needWorkflow(id: number): Script<WorkflowRow> {
  const workflow = yield* findWorkflow(id);
  if (workflow === undefined) throw new HoldfastError('WORKFLOW_NOT_FOUND', { id });
  return workflow;
}

function* needJob(workflowId: number, ref: JobRef): Script<JobRow> {
  const job = yield* findJob(workflowId, ref);
  if (job === undefined) throw new HoldfastError('JOB_NOT_FOUND', { job: ref, workflow: workflowId });
  return job;
}

function* readJob(workflowId: number, ref: JobRef): Script<JobDetails> {
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

function pageLimit(query: PageQuery): number {
  return Math.min(Math.max(query.limit ?? DEFAULT_PAGE, 1), LARGEST_PAGE);
}

function page<R, T>(rows: R[], limit: number, record: (row: R) => T, key: (row: R) => number): Page<T> {
  const last = rows.at(-1);
  return { items: rows.map(record), next: rows.length === limit && last !== undefined ? key(last) : null };
}
