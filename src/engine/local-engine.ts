import type {
  AddedEvent,
  Adoption,
  AttemptQuery,
  CancelRequest,
  CancelResult,
  DecisionQuery,
  EventQuery,
  JobQuery,
  NewFailureHandler,
  NewWorkflow,
  PageQuery,
  ResetRequest,
  ResetResult,
  RetryRequest,
  ServedEngine,
  UserDataChange,
} from '../core/engine.ts';
import type { Exchange, ExchangeResult, ResumedWorker, WorkerIdentity } from '../core/exchange.ts';
import type { JobRef } from '../core/job-ref.ts';
import type { LogChunk, LogPart, LogQuery } from '../core/log-access.ts';
import type {
  AttemptRecord,
  AuditRecord,
  EventRecord,
  Explanation,
  FailureHandlerRecord,
  FileRecord,
  JobDetails,
  JobRecord,
  Page,
  UserDataRecord,
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
import type { CreatedToken, NewToken, TokenRecord } from '../core/token.ts';
import { listEnvironments } from '../store/environment-rows.ts';
import { appendEvent } from '../store/event-rows.ts';
import { lockHeldWorkflows, lockWorker } from '../store/lock-rows.ts';
import { forgetReaders } from '../store/log-rows.ts';
import { first, type Script } from '../store/script.ts';
import type { Store } from '../store/store.ts';
import { findWorker, insertWorker, listOverdueWorkers, listWorkersToTell } from '../store/worker-rows.ts';
import { hasSharedWork, type WorkflowRow } from '../store/workflow-rows.ts';
import { adoptRun, retireWorker } from './adopt-run.ts';
import { auditWorker } from './audit-worker.ts';
import { cancelWorkflow } from './cancel-workflow.ts';
import { changeJobResources } from './change-resources.ts';
import { submitWorkflow } from './create-workflow.ts';
import { drainWorker } from './drain-worker.ts';
import { exchangeAgain } from './exchange.ts';
import { ExchangeLane } from './exchange-lane.ts';
import { isAlive } from './is-alive.ts';
import { listFailures } from './list-failures.ts';
import {
  attemptsPage,
  auditPage,
  decisionsPage,
  eventsPage,
  filesOf,
  jobDetails,
  jobOfAny,
  jobsPage,
  utilizationPage,
  workersPage,
  workflowsPage,
} from './list-records.ts';
import { findLogOf, noteReader, readFound, storeLogs } from './logs.ts';
import { needJob, needWorkflow, takeWorkflow } from './needed-rows.ts';
import { readExplanation } from './read-explanation.ts';
import { readStatus } from './read-status.ts';
import { workerRecord, workflowRecord } from './records.ts';
import { recoverWorkflow } from './recover-workflow.ts';
import { resetStatus } from './reset-status.ts';
import { resolveJobs } from './resolve-jobs.ts';
import { resumeWorker } from './resume-worker.ts';
import { retryJob } from './retry-job.ts';
import { giveUpWorker } from './sweep-workers.ts';
import { authenticate, newSecret, storeToken, tokensOf, withdrawToken } from './tokens.ts';
import { changeUserData, userDataOf } from './user-data.ts';
import type { Wake } from './wake.ts';

export const LEASE_MS = 30_000;

/** The engine in this process, over a store. Every change is one transaction, told to others after its commit. */
export class LocalEngine implements ServedEngine {
  private readonly store: Store;
  private readonly wake: Wake;
  private readonly leaseMs: number;
  private readonly lane: ExchangeLane;

  constructor(store: Store, wake: Wake, leaseMs: number = LEASE_MS) {
    this.store = store;
    this.wake = wake;
    this.leaseMs = leaseMs;
    this.lane = new ExchangeLane(store, leaseMs);
  }

  async createWorkflow(workflow: NewWorkflow): Promise<WorkflowRecord> {
    return this.getWorkflow(await this.write((now) => submitWorkflow(workflow, now)));
  }

  getWorkflow(id: number): Promise<WorkflowRecord> {
    return this.store.read(function* () {
      return workflowRecord(yield* needWorkflow(id));
    });
  }

  listWorkflows(query: PageQuery = {}): Promise<Page<WorkflowRecord>> {
    return this.store.read(() => workflowsPage(query));
  }

  status(workflowId: number): Promise<WorkflowStatus> {
    return this.store.read(function* (now) {
      return yield* readStatus(yield* needWorkflow(workflowId), now, isAlive);
    });
  }

  listJobs(workflowId: number, query: JobQuery = {}): Promise<Page<JobRecord>> {
    return this.store.read(() => jobsPage(workflowId, query));
  }

  getJob(workflowId: number, job: JobRef): Promise<JobDetails> {
    return this.store.read(() => jobDetails(workflowId, job));
  }

  findJob(id: number): Promise<JobDetails> {
    return this.store.read(() => jobOfAny(id));
  }

  listAttempts(workflowId: number, query: AttemptQuery = {}): Promise<Page<AttemptRecord>> {
    return this.store.read(() => attemptsPage(workflowId, query));
  }

  listEvents(workflowId: number, query: EventQuery = {}): Promise<Page<EventRecord>> {
    return this.store.read(() => eventsPage(workflowId, query));
  }

  explain(workflowId: number, job: JobRef): Promise<Explanation> {
    return this.store.read((now) => readExplanation(workflowId, job, now));
  }

  cancel(workflowId: number, request: CancelRequest): Promise<CancelResult> {
    return this.change(workflowId, (_, now) => cancelWorkflow(workflowId, request, now, isAlive));
  }

  resetStatus(workflowId: number, request: ResetRequest): Promise<ResetResult> {
    return this.change(workflowId, (_, now) => resetStatus(workflowId, request, now, isAlive));
  }

  async retryJob(workflowId: number, job: JobRef, request: RetryRequest): Promise<JobDetails> {
    await this.change(workflowId, function* (workflow, now) {
      yield* retryJob(workflow, yield* needJob(workflowId, job), request, now);
    });
    return this.getJob(workflowId, job);
  }

  resolve(workflowId: number, request: ResolveRequest): Promise<ResolveResult> {
    return this.change(workflowId, (workflow, now) => resolveJobs(workflow, request, now));
  }

  listFailures(workflowId: number, query: FailureQuery = {}): Promise<FailureGroup[]> {
    return this.store.read(function* () {
      return yield* listFailures(yield* needWorkflow(workflowId), query);
    });
  }

  listDecisions(query: DecisionQuery = {}): Promise<Page<DecisionRecord>> {
    return this.store.read(() => decisionsPage(query));
  }

  recover(workflowId: number, request: RecoverRequest): Promise<RecoverResult> {
    return this.change(workflowId, (workflow, now) => recoverWorkflow(workflow, request, now, isAlive));
  }

  changeResources(workflowId: number, job: JobRef, change: ResourceChange): Promise<ResourceChangeResult> {
    return this.change(workflowId, function* (workflow, now) {
      return yield* changeJobResources(workflow, yield* needJob(workflowId, job), change, now);
    });
  }

  utilization(workflowId: number, query: PageQuery = {}): Promise<Page<Utilization>> {
    return this.store.read(() => utilizationPage(workflowId, query));
  }

  async addEvent(workflowId: number, { type, actor, reason, data }: AddedEvent): Promise<void> {
    await this.change(workflowId, function* ({ id, run_id }, now) {
      yield* appendEvent({ workflow_id: id, run_id, at: now, type, actor, reason, data });
    });
  }

  async createFailureHandler(workflowId: number, handler: NewFailureHandler): Promise<FailureHandlerRecord> {
    const { createFailureHandler } = await failureHandlers();
    return this.write((now) => createFailureHandler(workflowId, handler, now));
  }

  async listFailureHandlers(workflowId: number): Promise<FailureHandlerRecord[]> {
    const { failureHandlersOf } = await failureHandlers();
    return this.store.read(() => failureHandlersOf(workflowId));
  }

  async getFailureHandler(id: number): Promise<FailureHandlerRecord> {
    const { getFailureHandler } = await failureHandlers();
    return this.store.read(() => getFailureHandler(id));
  }

  async deleteFailureHandler(id: number, actor: string): Promise<FailureHandlerRecord> {
    const { deleteFailureHandler } = await failureHandlers();
    return this.write((now) => deleteFailureHandler(id, actor, now));
  }

  listFiles(workflowId: number): Promise<FileRecord[]> {
    return this.store.read(() => filesOf(workflowId));
  }

  listUserData(workflowId: number): Promise<UserDataRecord[]> {
    return this.store.read(() => userDataOf(workflowId));
  }

  setUserData(workflowId: number, name: string, change: UserDataChange): Promise<UserDataRecord> {
    return this.write((now) => changeUserData(workflowId, name, change, now));
  }

  async readLog(workflowId: number, query: LogQuery): Promise<LogChunk> {
    const found = await this.store.read(() => findLogOf(workflowId, query));
    const { in: place, attempt } = found;
    if (query.follow === true && place === 'store' && attempt.finished_at === null) {
      if (await this.store.write((now) => noteReader(attempt, now))) this.wake.poke();
    }
    return readFound(found, query);
  }

  listWorkers(query: PageQuery = {}): Promise<Page<WorkerRecord>> {
    return this.store.read((now) => workersPage(query, (worker) => isAlive(worker, now)));
  }

  drainWorker(workerId: number, actor: string): Promise<WorkerRecord> {
    return this.write((now) => drainWorker(workerId, actor, now));
  }

  listAudit(query: PageQuery = {}): Promise<Page<AuditRecord>> {
    return this.store.read(() => auditPage(query));
  }

  async createToken(token: NewToken): Promise<CreatedToken> {
    const secret = newSecret();
    return { ...(await this.store.write((now) => storeToken(token, secret, now))), secret };
  }

  listTokens(): Promise<TokenRecord[]> {
    return this.store.read(() => tokensOf());
  }

  revokeToken(id: number, actor: string): Promise<TokenRecord> {
    return this.store.write((now) => withdrawToken(id, actor, now));
  }

  authenticate(secret: string): Promise<TokenRecord | null> {
    return this.store.read((now) => authenticate(secret, now));
  }

  async registerWorker(identity: WorkerIdentity, actor?: string): Promise<WorkerRecord> {
    const { leaseMs } = this;
    const row = await this.write(function* (now) {
      const worker = (yield* findWorker(yield* insertWorker(identity, now, leaseMs)))!;
      if (actor !== undefined) yield* auditWorker(worker, 'worker_registered', actor, now);
      return worker;
    });
    return workerRecord(row, true);
  }

  resumeWorker(workerId: number, identity: WorkerIdentity, actor?: string): Promise<ResumedWorker> {
    const { leaseMs } = this;
    return this.write(function* (now) {
      const resumed = yield* resumeWorker(workerId, identity, now, leaseMs);
      if (actor !== undefined) yield* auditWorker(resumed.worker, 'worker_resumed', actor, now);
      return resumed;
    });
  }

  async adopt(workflowId: number, workerId: number): Promise<Adoption> {
    const adoption = await this.change(workflowId, (_, now) => adoptRun(workflowId, workerId, now, isAlive));
    if (adoption.mode === 'drive') return adoption;
    return { mode: 'follow', worker: workerRecord(adoption.worker, true) };
  }

  async exchange(workerId: number, request: Exchange): Promise<ExchangeResult> {
    let done = await this.lane.exchange(workerId, request);
    if (done.contended) {
      const before = done;
      done = await this.store.write((now) => exchangeAgain({ workerId, request }, before, now));
    }
    const { changed, contended: _, ...result } = done;
    if (changed) this.wake.poke();
    return result;
  }

  async putLogs(workerId: number, parts: LogPart[]): Promise<void> {
    await this.write(() => storeLogs(workerId, parts));
  }

  async retireWorker(workerId: number, actor?: string): Promise<void> {
    await this.write(function* (now) {
      yield* lockWorker(workerId);
      const worker = yield* findWorker(workerId);
      if (actor !== undefined && worker?.retired_at === null) {
        yield* auditWorker(worker, 'worker_retired', actor, now);
      }
      yield* lockHeldWorkflows([workerId]);
      yield* retireWorker(workerId, now);
    });
  }

  async sweep(): Promise<number> {
    const overdue = await this.store.read(function* (now) {
      return (yield* listOverdueWorkers(now)).filter((worker) => !isAlive(worker, now));
    });
    let lost = 0;
    for (const worker of overdue) {
      if (await this.write((now) => giveUpWorker(worker, now, isAlive))) lost += 1;
    }
    await this.store.write((now) => forgetReaders(now));
    return lost;
  }

  hasWork(): Promise<boolean> {
    return this.store.read((now) => hasSharedWork(now));
  }

  workersToTell(): Promise<number[]> {
    return this.store.read((now) => listWorkersToTell(now));
  }

  async environments(workflowId: number): Promise<Record<string, string>[]> {
    const found = new Map<string, Record<string, string>>();
    for (let after: number | null = 0; after !== null; ) {
      const from: number = after;
      const { environments, next } = await this.store.read(() => listEnvironments(workflowId, from));
      for (const each of environments) found.set(JSON.stringify(each), each);
      after = next;
    }
    return [...found.values()];
  }

  async ping(): Promise<void> {
    await this.store.read(() => first('select 1 as alive'));
  }

  onChange(listener: () => void): () => void {
    return this.wake.listen(listener);
  }

  async close(): Promise<void> {
    await this.wake.close();
    await this.store.close();
  }

  private async write<T>(script: (now: number) => Script<T>): Promise<T> {
    const value = await this.store.write(script);
    this.wake.poke();
    return value;
  }

  /** A change of one workflow, which nobody else changes meanwhile. */
  private change<T>(
    workflowId: number,
    script: (workflow: WorkflowRow, now: number) => Script<T>,
  ): Promise<T> {
    return this.write(function* (now) {
      return yield* script(yield* takeWorkflow(workflowId), now);
    });
  }
}

/** Loaded when it is needed: it reads rules as specs do, and the schema of specs is half of what there is to load. */
function failureHandlers(): Promise<typeof import('./failure-handlers.ts')> {
  return import('./failure-handlers.ts');
}
