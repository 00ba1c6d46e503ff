import { randomUUID } from 'node:crypto';
import type { BodyOf } from '../api/endpoint.ts';
import { endpoints } from '../api/endpoints.ts';
import {
  BAD_IDEMPOTENCY_KEY,
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_KEY_TEXT,
  LOG_HEADERS,
} from '../api/request-headers.ts';
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
  NewFailureHandler,
  NewWorkflow,
  PageQuery,
  ResetRequest,
  ResetResult,
  RetryRequest,
  UserDataChange,
} from '../core/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import type { Exchange, ExchangeResult, ResumedWorker, WorkerIdentity } from '../core/exchange.ts';
import type { JobRef } from '../core/job-ref.ts';
import type { LogChunk, LogPart, LogQuery } from '../core/log-access.ts';
import type * as Records from '../core/records.ts';
import type * as Resolution from '../core/resolution.ts';
import type { CreatedToken, NewToken, TokenRecord } from '../core/token.ts';
import { ChangeFeed } from './change-feed.ts';
import { HttpConnection } from './http-connection.ts';
import { logBatches } from './log-batches.ts';
import { strangeAnswer } from './refusal.ts';
import type { ServerAddress } from './server-address.ts';
import { WorkerNews } from './worker-news.ts';

const LARGEST_PIECE = 1024 * 1024;
/** A worker that is not answered has work of its own to look after. */
const EXCHANGE_PATIENCE_MS = 2_000;

type Page<T> = Records.Page<T>;

/** The engine of a server. What it refuses is refused with the same errors as in process. */
export class HttpEngine implements Engine {
  readonly #connection: HttpConnection;
  readonly #changes: ChangeFeed;
  /** Newest exchange of each worker of this process. */
  readonly #sequences = new Map<number, number>();
  readonly #news = new Map<number, WorkerNews>();

  constructor(server: ServerAddress | HttpConnection) {
    this.#connection = server instanceof HttpConnection ? server : new HttpConnection(server);
    this.#changes = new ChangeFeed(this.#connection);
  }

  /** Only what the model was made from is sent. */
  async createWorkflow(workflow: Omit<NewWorkflow, 'model'>): Promise<Records.WorkflowRecord> {
    const { source, cwd, output_dir, actor, idempotency_key: key = randomUUID() } = workflow;
    if (source === undefined) {
      throw new HoldfastError('INVALID_ARGUMENT', {
        argument: 'source',
        problem: 'a server takes the text of a spec, not a model that was made from it',
      });
    }
    if (!IDEMPOTENCY_KEY_TEXT.test(key)) {
      throw new HoldfastError('INVALID_ARGUMENT', {
        argument: 'idempotency key',
        problem: BAD_IDEMPOTENCY_KEY,
      });
    }
    const body: BodyOf<typeof endpoints.createWorkflow> = {
      spec: source.text,
      file_name: source.name,
      cwd,
      output_dir,
      ...(source.retry_defaults && { retry_defaults: source.retry_defaults }),
      ...(source.overrides && { overrides: source.overrides }),
    };
    // The key makes it the same workflow, however often it arrives.
    return this.#connection.call(endpoints.createWorkflow, {
      body,
      actor,
      repeatable: true,
      headers: { [IDEMPOTENCY_KEY]: key },
    });
  }

  getWorkflow(id: number): Promise<Records.WorkflowRecord> {
    return this.#connection.call(endpoints.getWorkflow, { params: { workflow_id: id } });
  }

  listWorkflows(query: PageQuery = {}): Promise<Page<Records.WorkflowRecord>> {
    return this.#connection.call(endpoints.listWorkflows, { query });
  }

  status(id: number): Promise<Records.WorkflowStatus> {
    return this.#connection.call(endpoints.status, { params: { workflow_id: id } });
  }

  listJobs(id: number, { statuses, ...query }: JobQuery = {}): Promise<Page<Records.JobRecord>> {
    return this.#connection.call(endpoints.listJobs, {
      params: { workflow_id: id },
      query: { ...query, ...(statuses && { status: statuses }) },
    });
  }

  getJob(id: number, job: JobRef): Promise<Records.JobDetails> {
    return this.#connection.call(endpoints.getJob, { params: { workflow_id: id, job } });
  }

  listAttempts(id: number, query: AttemptQuery = {}): Promise<Page<Records.AttemptRecord>> {
    return this.#connection.call(endpoints.listAttempts, { params: { workflow_id: id }, query });
  }

  listEvents(id: number, query: EventQuery = {}): Promise<Page<Records.EventRecord>> {
    return this.#connection.call(endpoints.listEvents, { params: { workflow_id: id }, query });
  }

  explain(id: number, job: JobRef): Promise<Records.Explanation> {
    return this.#connection.call(endpoints.explain, { params: { workflow_id: id, job } });
  }

  cancel(id: number, { actor, ...body }: CancelRequest): Promise<CancelResult> {
    return this.#connection.call(endpoints.cancel, { params: { workflow_id: id }, body, actor });
  }

  resetStatus(id: number, { actor, ...body }: ResetRequest): Promise<ResetResult> {
    return this.#connection.call(endpoints.resetStatus, { params: { workflow_id: id }, body, actor });
  }

  findJob(id: number): Promise<Records.JobDetails> {
    return this.#connection.call(endpoints.findJob, { params: { job_id: id } });
  }

  retryJob(id: number, job: JobRef, { actor, ...body }: RetryRequest): Promise<Records.JobDetails> {
    return this.#connection.call(endpoints.retryJob, { params: { workflow_id: id, job }, body, actor });
  }

  resolve(id: number, { actor, ...body }: Resolution.ResolveRequest): Promise<Resolution.ResolveResult> {
    return this.#connection.call(endpoints.resolve, { params: { workflow_id: id }, body, actor });
  }

  listFailures(
    id: number,
    { statuses, ...query }: Resolution.FailureQuery = {},
  ): Promise<Resolution.FailureGroup[]> {
    return this.#connection.call(endpoints.listFailures, {
      params: { workflow_id: id },
      query: { ...query, ...(statuses && { status: statuses }) },
    });
  }

  listDecisions(query: DecisionQuery = {}): Promise<Page<Resolution.DecisionRecord>> {
    return this.#connection.call(endpoints.listDecisions, { query });
  }

  recover(id: number, { actor, ...body }: Resolution.RecoverRequest): Promise<Resolution.RecoverResult> {
    return this.#connection.call(endpoints.recover, { params: { workflow_id: id }, body, actor });
  }

  changeResources(
    id: number,
    job: JobRef,
    { actor, ...body }: Resolution.ResourceChange,
  ): Promise<Resolution.ResourceChangeResult> {
    return this.#connection.call(endpoints.changeResources, {
      params: { workflow_id: id, job },
      body,
      actor,
    });
  }

  utilization(id: number, query: PageQuery = {}): Promise<Page<Resolution.Utilization>> {
    return this.#connection.call(endpoints.utilization, { params: { workflow_id: id }, query });
  }

  addEvent(id: number, { actor, ...body }: AddedEvent): Promise<void> {
    return this.#connection.call(endpoints.addEvent, { params: { workflow_id: id }, body, actor });
  }

  createFailureHandler(
    id: number,
    { actor, ...body }: NewFailureHandler,
  ): Promise<Records.FailureHandlerRecord> {
    return this.#connection.call(endpoints.createFailureHandler, {
      params: { workflow_id: id },
      body,
      actor,
    });
  }

  listFailureHandlers(id: number): Promise<Records.FailureHandlerRecord[]> {
    return this.#connection.call(endpoints.listFailureHandlers, { params: { workflow_id: id } });
  }

  getFailureHandler(id: number): Promise<Records.FailureHandlerRecord> {
    return this.#connection.call(endpoints.getFailureHandler, { params: { handler_id: id } });
  }

  deleteFailureHandler(id: number, actor: string): Promise<Records.FailureHandlerRecord> {
    return this.#connection.call(endpoints.deleteFailureHandler, { params: { handler_id: id }, actor });
  }

  listFiles(id: number): Promise<Records.FileRecord[]> {
    return this.#connection.call(endpoints.listFiles, { params: { workflow_id: id } });
  }

  listUserData(id: number): Promise<Records.UserDataRecord[]> {
    return this.#connection.call(endpoints.listUserData, { params: { workflow_id: id } });
  }

  setUserData(id: number, name: string, { actor, ...body }: UserDataChange): Promise<Records.UserDataRecord> {
    return this.#connection.call(endpoints.setUserData, { params: { workflow_id: id, name }, body, actor });
  }

  readLog(id: number, { job, stream, follow, ...query }: LogQuery): Promise<LogChunk> {
    const asked = {
      params: { workflow_id: id, job, stream },
      query: { limit: LARGEST_PIECE, ...query, ...(follow === true && { live: true }) },
    };
    return this.#connection.ask(endpoints.readLog, asked, async (response) => {
      const fact = (name: keyof typeof LOG_HEADERS) => response.headers.get(LOG_HEADERS[name]);
      if (fact('attemptId') === null) throw strangeAnswer(response.status);
      return {
        run_id: Number(fact('runId')),
        attempt_id: Number(fact('attemptId')),
        offset: Number(fact('offset')),
        data: new Uint8Array(await response.arrayBuffer()),
        size: Number(fact('size')),
        ended: fact('ended') === 'true',
      };
    });
  }

  listWorkers(query: PageQuery = {}): Promise<Page<Records.WorkerRecord>> {
    return this.#connection.call(endpoints.listWorkers, { query });
  }

  drainWorker(id: number, actor: string): Promise<Records.WorkerRecord> {
    return this.#connection.call(endpoints.drainWorker, {
      params: { worker_id: id },
      actor,
      repeatable: true,
    });
  }

  listAudit(query: PageQuery = {}): Promise<Page<Records.AuditRecord>> {
    return this.#connection.call(endpoints.listAudit, { query });
  }

  createToken({ actor, ...body }: NewToken): Promise<CreatedToken> {
    return this.#connection.call(endpoints.createToken, { body, actor });
  }

  listTokens(): Promise<TokenRecord[]> {
    return this.#connection.call(endpoints.listTokens);
  }

  revokeToken(id: number, actor: string): Promise<TokenRecord> {
    return this.#connection.call(endpoints.revokeToken, {
      params: { token_id: id },
      actor,
      repeatable: true,
    });
  }

  registerWorker(identity: WorkerIdentity): Promise<Records.WorkerRecord> {
    return this.#connection.call(endpoints.registerWorker, { body: identity });
  }

  async resumeWorker(id: number, identity: WorkerIdentity): Promise<ResumedWorker> {
    const resumed = await this.#connection.call(endpoints.resumeWorker, {
      params: { worker_id: id },
      body: identity,
      repeatable: true,
    });
    this.#sequences.set(id, resumed.seq);
    return resumed;
  }

  adopt(workflowId: number, workerId: number): Promise<Adoption> {
    return this.#connection.call(endpoints.adopt, {
      params: { worker_id: workerId },
      body: { workflow_id: workflowId },
      repeatable: true,
    });
  }

  /** Its number makes it the same exchange, however often it arrives. */
  async exchange(id: number, exchange: Exchange): Promise<ExchangeResult> {
    const seq = exchange.seq ?? (this.#sequences.get(id) ?? 0) + 1;
    this.#sequences.set(id, seq);
    const result = await this.#connection.call(endpoints.exchange, {
      params: { worker_id: id },
      body: { sent_at_ms: Date.now(), ...exchange, seq },
      repeatable: true,
      patienceMs: EXCHANGE_PATIENCE_MS,
    });
    this.#news.get(id)?.exchanged();
    return result;
  }

  async putLogs(id: number, parts: LogPart[]): Promise<void> {
    for (const batch of logBatches(parts)) {
      await this.#connection.call(endpoints.putLogs, {
        params: { worker_id: id },
        body: { parts: batch },
        repeatable: true,
        patienceMs: EXCHANGE_PATIENCE_MS,
      });
    }
  }

  retireWorker(id: number): Promise<void> {
    return this.#connection.call(endpoints.retireWorker, {
      params: { worker_id: id },
      repeatable: true,
      patienceMs: EXCHANGE_PATIENCE_MS,
    });
  }

  onChange(listener: () => void, workerId?: number): () => void {
    if (workerId === undefined) return this.#changes.listen(listener);
    this.#news.get(workerId)?.stop();
    const news = new WorkerNews(this.#connection, workerId, listener);
    this.#news.set(workerId, news);
    return () => {
      news.stop();
      if (this.#news.get(workerId) === news) this.#news.delete(workerId);
    };
  }

  async close(): Promise<void> {
    this.#connection.close();
  }
}
