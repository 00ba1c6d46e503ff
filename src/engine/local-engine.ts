import { setTimeout as sleep } from 'node:timers/promises';
import type { Allocator } from '../contract/allocator.ts';
import type { DagImport } from '../contract/dag-evidence.ts';
import type { OperationId } from '../contract/endpoints.ts';
import type {
  ImportRequest,
  NewRequest,
  NewWorkflow,
  ServedEngine,
  SubmittedUpdate,
  WorkflowUpdate,
} from '../contract/engine.ts';
import { WithOperations } from '../contract/operation-methods.ts';
import type { AttemptTimes } from '../contract/records/attempt-times.ts';
import type {
  Adoption,
  Exchange,
  ExchangeResult,
  RegisteredWorker,
  ResumedWorker,
  WorkerIdentity,
} from '../contract/records/exchange.ts';
import type { LogChunk, LogPart, LogQuery } from '../contract/records/log-access.ts';
import type { Sender, UnsentNotification } from '../contract/records/notification.ts';
import type { WorkflowRecord } from '../contract/records/records.ts';
import type { RequestRecord } from '../contract/records/request.ts';
import type { TokenRecord } from '../contract/records/token.ts';
import type { UpdateResult } from '../contract/records/update.ts';
import type { FoundNews, WorkerPlace } from '../contract/records/worker-news.ts';
import type { RunDriver } from '../contract/run-engine.ts';
import type { Subject } from '../contract/subject.ts';
import type { Ownership } from '../core/access/may-change.ts';
import { HoldfastError } from '../core/errors.ts';
import type { JobStatus } from '../core/job/job-status.ts';
import type { SubmittedWorkflow } from '../core/model/workflow-parts.ts';
import { DEFAULT_ERROR_SETTINGS } from '../core/request/error-settings.ts';
import { newProcessName } from '../host/process-name.ts';
import { newSecret } from '../host/secret.ts';
import { releaseAllocatorLease } from '../store/rows/allocations/allocator-rows.ts';
import { releaseDagRuns } from '../store/rows/dags/dag-run-rows.ts';
import { hasSubscribers, setSubscribers } from '../store/rows/errands/notification-rows.ts';
import { forgetReaders } from '../store/rows/logs/log-rows.ts';
import { getRequestRow } from '../store/rows/requests/request-rows.ts';
import { findSecretHash } from '../store/rows/workers/worker-rows.ts';
import type { Script } from '../store/script.ts';
import type { Store } from '../store/store.ts';
import { tendAllocations } from './allocations/tend-allocations.ts';
import { tendDagRuns } from './dags/tend-dag-runs.ts';
import { finishNotifications } from './errands/finish-notifications.ts';
import { ServerErrandRunner } from './errands/server-errand-runner.ts';
import { exchangeAgain } from './exchange/exchange.ts';
import { ExchangeQueue } from './exchange/exchange-queue.ts';
import { acceptLateSuccesses } from './exchange/late-success.ts';
import { Remover } from './housekeeping/remover.ts';
import type { LocalEngineOptions } from './local-engine-options.ts';
import { countDecisionsToday } from './operate/resolve-jobs.ts';
import { authenticate } from './operate/tokens.ts';
import { type LocalOperation, localOperations } from './operations.ts';
import { allEnvironments } from './read/all-environments.ts';
import { countJobsOfOpenRuns, readAttemptTimes } from './read/attempt-times.ts';
import { findLogOf, noteReader, readFound, storeLogs } from './read/logs.ts';
import { takeWorkflow } from './records/needed-rows.ts';
import { workerRecord } from './records/records.ts';
import { readOwnerships } from './requests/read-ownerships.ts';
import { recordOf } from './requests/read-requests.ts';
import { removeAbandonedRequests, storeRequest } from './requests/store-request.ts';
import { tendOne, tendShared } from './requests/tend-requests.ts';
import { storeWorkflow, type WorkflowParts } from './submit/store-workflow.ts';
import { prepareWorkflow, workflowHead, workflowParts } from './submit/workflow-parts.ts';
import { Tracing } from './traces/tracing.ts';
import { storeUpdate } from './update/update-workflow.ts';
import { findNews, workerPlaces } from './wake/find-news.ts';
import type { Wake } from './wake/wake.ts';
import { WatchedStore } from './watched-store.ts';
import { adoptRun } from './workers/adopt-run.ts';
import { auditWorker } from './workers/audit-worker.ts';
import { ClockWatch } from './workers/clock-watch.ts';
import { isAlive } from './workers/is-alive.ts';
import { leaveWorker } from './workers/leave-worker.ts';
import { registerWorker } from './workers/register-worker.ts';
import { resumeWorker } from './workers/resume-worker.ts';
import { serverIsUp, serverStarts } from './workers/server-presence.ts';
import { findDeadWorkers, giveUpWorker } from './workers/sweep-workers.ts';

/** The engine in this process, over a store. Every change is one transaction, announced after its commit. */
export class LocalEngine extends WithOperations implements ServedEngine {
  readonly #store: WatchedStore;
  readonly #wake: Wake;
  readonly #exchanges: ExchangeQueue;
  readonly #serverErrands: ServerErrandRunner;
  readonly #tracing: Tracing;
  readonly #planner = newProcessName();
  readonly #remover: Remover;
  /** Targets of the configuration of this process, in JSON. */
  readonly #subscribers: string;
  readonly #clockWatch: ClockWatch;

  constructor(store: Store, wake: Wake, options: LocalEngineOptions = {}) {
    const {
      serverErrands = [],
      siteBanDays = DEFAULT_ERROR_SETTINGS.site_ban_duration_days,
      stateDir = null,
      subscribers = [],
      monotonic = () => performance.now(),
      pause = sleep,
    } = options;
    const watched = new WatchedStore(store);
    super(OPERATION_IDS, (id, given) => carryOut(id, given, watched, wake));
    const { banSite } = this;
    this.banSite = (site, action) =>
      banSite(site, action.request === undefined ? { duration_days: siteBanDays, ...action } : action);
    this.#store = watched;
    this.#remover = new Remover(watched, stateDir);
    const { deleteWorkflow, pruneWorkflows } = this;
    this.deleteWorkflow = (id, request) => this.#remover.after(request, deleteWorkflow(id, request));
    this.pruneWorkflows = (request) => this.#remover.afterAll(request, pruneWorkflows(request));
    this.#wake = wake;
    this.#exchanges = new ExchangeQueue(this.#store, pause);
    this.#tracing = new Tracing(this.#store, subscribers);
    this.#serverErrands = new ServerErrandRunner(this.#store, serverErrands, (run, order) =>
      this.#tracing.readSpans(run, order),
    );
    this.#subscribers = JSON.stringify(subscribers);
    this.#clockWatch = new ClockWatch(monotonic);
  }

  async createWorkflow(workflow: NewWorkflow): Promise<WorkflowRecord> {
    return this.storeWorkflow(prepareWorkflow(workflow), workflowParts(workflow.model));
  }

  async storeWorkflow(workflow: SubmittedWorkflow, parts: WorkflowParts): Promise<WorkflowRecord> {
    const id = await storeWorkflow(this.#store, workflow, parts);
    this.#wake.poke();
    return this.getWorkflow(id);
  }

  updateWorkflow(workflowId: number, update: WorkflowUpdate): Promise<UpdateResult> {
    const { model, source: _, ...submitted } = update;
    return this.storeUpdate(workflowId, { ...submitted, head: workflowHead(model) }, workflowParts(model));
  }

  async storeUpdate(
    workflowId: number,
    update: SubmittedUpdate,
    parts: WorkflowParts,
  ): Promise<UpdateResult> {
    const result = await storeUpdate(this.#store, workflowId, update, parts);
    if (!result.dry_run) this.#wake.poke();
    return result;
  }

  async createRequest(request: NewRequest): Promise<RequestRecord> {
    const id = await storeRequest(this.#store, request);
    this.#wake.poke();
    return this.#store.read(function* () {
      return yield* recordOf(yield* getRequestRow(id));
    });
  }

  async tendRequests(which: { name: string } | { most_active: number }): Promise<boolean> {
    const tending = { store: this.#store, planner: this.#planner, isAlive };
    const done =
      'name' in which ? await tendOne(tending, which.name) : await tendShared(tending, which.most_active);
    if (done) this.#wake.poke();
    return done;
  }

  async databaseId(): Promise<string> {
    return this.#tracing.databaseId();
  }

  async leaveAllocations({ server }: Allocator): Promise<void> {
    await this.#store.write(() => releaseAllocatorLease(server));
  }

  async tendAllocations(allocator: Allocator): Promise<number> {
    const { wait_ms, changed } = await tendAllocations(this.#store, allocator);
    if (changed) this.#wake.poke();
    return wait_ms;
  }

  async tendRuns(driver: RunDriver): Promise<{ wait_ms: number; open: number; problems: string[] }> {
    const { changed, ...rest } = await tendDagRuns(this.#store, driver);
    if (changed) this.#wake.poke();
    return rest;
  }

  async importDag(dag: DagImport): Promise<RequestRecord> {
    // It reads a spec, and the schema of specs is half of what there is to load.
    const { importDag } = await import('./dags/import-dag.ts');
    const record = await this.#store.write(function* (now) {
      return yield* recordOf(yield* getRequestRow(yield* importDag(dag, now)));
    });
    this.#wake.poke();
    return record;
  }

  async leaveRuns({ server }: RunDriver): Promise<void> {
    await this.#store.write(() => releaseDagRuns(server));
  }

  async readLog(workflowId: number, query: LogQuery): Promise<LogChunk> {
    const found = await this.#store.read(() => findLogOf(workflowId, query));
    const { in: place, attempt } = found;
    if (query.follow === true && place === 'store' && attempt.finished_at === null) {
      if (await this.#store.write((now) => noteReader(attempt, now))) this.#wake.poke();
    }
    return readFound(found, query);
  }

  authenticate(secret: string): Promise<TokenRecord | null> {
    return this.#store.read((now) => authenticate(secret, now));
  }

  ownerships(subject: Subject): Promise<Ownership[]> {
    return this.#store.read(() => readOwnerships(subject));
  }

  registerWorker(identity: WorkerIdentity, actor?: string): Promise<RegisteredWorker> {
    const secret = newSecret();
    return this.#write((now) => registerWorker(identity, secret, actor, now));
  }

  workerSecretHash(workerId: number): Promise<string | null> {
    return this.#store.read(() => findSecretHash(workerId));
  }

  resumeWorker(
    worker: { id: number; secret: string },
    identity: WorkerIdentity,
    actor?: string,
  ): Promise<ResumedWorker> {
    return this.#write(function* (now) {
      const resumed = yield* resumeWorker(worker, identity, now);
      if (actor !== undefined) yield* auditWorker(resumed.worker, 'worker_resumed', actor, now);
      return resumed;
    });
  }

  adopt(workflowId: number, workerId: number): Promise<Adoption> {
    return this.#write(function* (now) {
      yield* takeWorkflow(workflowId);
      const adoption = yield* adoptRun(workflowId, workerId, now, isAlive);
      if (adoption.mode === 'drive') return adoption;
      return { mode: 'follow' as const, worker: workerRecord(adoption.worker, true, now) };
    });
  }

  async exchange(workerId: number, request: Exchange): Promise<ExchangeResult> {
    let done = await this.#exchanges.exchange(workerId, request).catch(async (error: unknown) => {
      const isRetired = error instanceof HoldfastError && error.code === 'WORKER_RETIRED';
      if (isRetired) await this.#write((now) => acceptLateSuccesses(workerId, request, now));
      throw error;
    });
    if (done.contended) {
      const before = done;
      done = await this.#store.write(() => exchangeAgain({ workerId, request }, before));
    }
    const { changed, contended: _, ...result } = done;
    if (changed) this.#wake.poke();
    return this.#tracing.mark(result);
  }

  async putLogs(workerId: number, parts: LogPart[]): Promise<void> {
    await this.#write(() => storeLogs(workerId, parts));
  }

  async retireWorker(workerId: number, actor?: string): Promise<void> {
    await this.#write((now) => leaveWorker(workerId, actor, now));
  }

  async start(): Promise<void> {
    this.#remover.isLeftToOthers = true;
    await this.#store.write((now) => serverStarts(now, this.#subscribers));
  }

  async sweep(): Promise<number> {
    const monotonic = this.#clockWatch.begin();
    let wall = 0;
    await this.#store.write((now) => {
      wall = now;
      return serverIsUp(now, this.#clockWatch.jump({ wall, monotonic }));
    });
    this.#clockWatch.note({ wall, monotonic });
    let lost = 0;
    for (const worker of await this.#store.read((now) => findDeadWorkers(now, isAlive))) {
      if (await this.#write((now) => giveUpWorker(worker, now, isAlive))) lost += 1;
    }
    await this.#store.write((now) => forgetReaders(now));
    await this.#remover.sweep();
    await removeAbandonedRequests(this.#store);
    await this.#serverErrands.sweep();
    return lost;
  }

  async subscribe(sender: Exclude<Sender, 'shared'>): Promise<void> {
    if (await this.#store.read(() => hasSubscribers(sender, this.#subscribers))) return;
    await this.#store.write(() => setSubscribers(sender, this.#subscribers));
  }

  async sendNotifications(sender: Sender): Promise<void> {
    await this.#tracing.orderOpen(sender);
    await this.#serverErrands.sweep(sender);
  }

  async finishNotifications(
    sender: Exclude<Sender, 'shared'>,
    signal: AbortSignal,
  ): Promise<UnsentNotification[]> {
    await this.#tracing.orderOpen(sender, true);
    await this.#serverErrands.inherit(sender);
    return finishNotifications(this.#store, this.#serverErrands, sender, signal);
  }

  countJobs(): Promise<Record<JobStatus, number>> {
    return this.#store.read(() => countJobsOfOpenRuns());
  }

  attemptTimes(tokens: readonly number[]): Promise<AttemptTimes[]> {
    return this.#store.read(() => readAttemptTimes(tokens));
  }

  countDecisions(actor: string): Promise<number> {
    return this.#store.read((now) => countDecisionsToday(actor, now));
  }

  findNews(withJobs: boolean): Promise<FoundNews> {
    return this.#store.read((now) => findNews(withJobs, now));
  }

  workerPlaces(ids: readonly number[]): Promise<WorkerPlace[]> {
    return this.#store.read(() => workerPlaces(ids));
  }

  environments(workflowId: number): Promise<Record<string, string>[]> {
    return allEnvironments(this.#store, workflowId);
  }

  async ping(): Promise<void> {
    await this.#store.probe();
  }

  backup(path: string): Promise<void> {
    return this.#store.backup(path);
  }

  async *exportWorkflow(workflowId: number, program: string): AsyncGenerator<string> {
    const { exportWorkflow } = await import('./transfer/export-workflow.ts');
    yield* exportWorkflow(this.#store, workflowId, program);
  }

  async importWorkflow(open: () => AsyncIterable<string>, request: ImportRequest): Promise<WorkflowRecord> {
    // It checks what it reads by the schemas of all records.
    const { importWorkflow } = await import('./transfer/import-workflow.ts');
    const id = await importWorkflow(this.#store, open, request);
    this.#wake.poke();
    return this.getWorkflow(id);
  }

  onChange(listener: () => void): () => void {
    return this.#wake.listen(listener);
  }

  async close(): Promise<void> {
    await this.#serverErrands.stop();
    await this.#remover.stop();
    await this.#wake.close();
    await this.#store.close();
  }

  async #write<T>(script: (now: number) => Script<T>): Promise<T> {
    const value = await this.#store.write(script);
    this.#wake.poke();
    return value;
  }
}

const OPERATION_IDS = Object.keys(localOperations) as OperationId[];

async function carryOut(
  id: OperationId,
  given: readonly unknown[],
  store: WatchedStore,
  wake: Wake,
): Promise<unknown> {
  const entry = localOperations[id];
  const { kind, script, finish } = (typeof entry === 'function' ? await entry() : entry) as LocalOperation<
    unknown[]
  >;
  const transaction = (now: number) => script(now, ...given);
  if (kind === 'read') {
    const found = await store.read(transaction);
    return finish === undefined ? found : finish(found);
  }
  const result = await store.write(transaction);
  wake.poke();
  return result;
}
