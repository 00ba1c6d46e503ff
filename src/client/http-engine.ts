import { randomUUID } from 'node:crypto';
import type { BodyOf } from '../contract/endpoint.ts';
import { endpoints, OPERATIONS } from '../contract/endpoints.ts';
import type {
  Engine,
  NewRequest,
  NewWorkflow,
  OutagePatience,
  SpecSource,
  WorkflowUpdate,
} from '../contract/engine.ts';
import { type Operation, requestFor } from '../contract/operation.ts';
import { WithOperations } from '../contract/operation-methods.ts';
import { roomAfter } from '../contract/operations/worker-room.ts';
import type {
  Adoption,
  Exchange,
  ExchangeResult,
  RegisteredWorker,
  ResumedWorker,
  WorkerIdentity,
} from '../contract/records/exchange.ts';
import type { LogChunk, LogPart, LogQuery } from '../contract/records/log-access.ts';
import type { WorkflowRecord } from '../contract/records/records.ts';
import type { RequestRecord } from '../contract/records/request.ts';
import type { UpdateResult } from '../contract/records/update.ts';
import type { WorkerRoom } from '../contract/records/worker-news.ts';
import {
  BAD_IDEMPOTENCY_KEY,
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_KEY_TEXT,
  LOG_HEADERS,
  WORKER_SECRET,
} from '../contract/request-headers.ts';
import { HoldfastError } from '../core/errors.ts';
import { ServerChanges } from './transport/change-feed.ts';
import { type Asked, HttpConnection } from './transport/http-connection.ts';
import { logBatches } from './transport/log-batches.ts';
import { strangeAnswer } from './transport/refusal.ts';
import type { ServerAddress } from './transport/server-address.ts';
import { type RequestOfWorker, WorkerNews } from './transport/worker-news.ts';

const LARGEST_PIECE = 1024 * 1024;
/** A worker that is not answered has work of its own to look after. */
const WORKER_PATIENCE_MS = 2_000;

const OPERATION_IDS = OPERATIONS.map(([id]) => id);

/** The engine of a server. What it refuses is refused with the same errors as in process. */
export class HttpEngine extends WithOperations implements Engine {
  readonly #connection: HttpConnection;
  readonly #changes: ServerChanges;
  readonly #news = new Map<number, WorkerNews>();
  /** What the workers of this process had free after their last exchange. */
  readonly #rooms = new Map<number, WorkerRoom>();
  /** Of the workers of this process. */
  readonly #secrets = new Map<number, string>();

  constructor(server: ServerAddress | HttpConnection) {
    const connection = server instanceof HttpConnection ? server : new HttpConnection(server);
    super(OPERATION_IDS, (id, given) => {
      const operation: Operation = endpoints[id];
      return connection.call(operation, requestFor(operation, given) as Asked<Operation>);
    });
    this.#connection = connection;
    this.#changes = new ServerChanges(this.#connection);
  }

  /** Only what the model was made from is sent. */
  async createWorkflow(workflow: Omit<NewWorkflow, 'model'>): Promise<WorkflowRecord> {
    const { source, cwd, output_dir, executor, until, actor, idempotency_key: key = randomUUID() } = workflow;
    if (source === undefined) throw withoutSource();
    if (!IDEMPOTENCY_KEY_TEXT.test(key)) {
      throw new HoldfastError('INVALID_ARGUMENT', {
        argument: 'idempotency key',
        problem: BAD_IDEMPOTENCY_KEY,
      });
    }
    const body: BodyOf<typeof endpoints.createWorkflow> = {
      ...sentSource(source),
      cwd,
      output_dir,
      ...(executor && { executor }),
      ...(until && { until }),
    };
    // The key makes it the same workflow, however often it arrives.
    return this.#connection.call(endpoints.createWorkflow, {
      body,
      actor,
      headers: { [IDEMPOTENCY_KEY]: key },
    });
  }

  /** Only what the model was made from is sent. */
  async updateWorkflow(
    workflowId: number,
    { source, actor, stale, dry_run, limit }: Omit<WorkflowUpdate, 'model'>,
  ): Promise<UpdateResult> {
    if (source === undefined) throw withoutSource();
    return this.#connection.call(endpoints.updateWorkflow, {
      params: { workflow_id: workflowId },
      body: {
        ...sentSource(source),
        ...(stale && { stale }),
        ...(dry_run !== undefined && { dry_run }),
        ...(limit !== undefined && { limit }),
      },
      actor,
    });
  }

  /** Only what the model was made from is sent. */
  async createRequest(request: Omit<NewRequest, 'model' | 'items'>): Promise<RequestRecord> {
    const { source, cwd, output_dir, actor } = request;
    if (source === undefined) throw withoutSource();
    const { text: spec, name: file_name, files, set } = source;
    return this.#connection.call(endpoints.createRequest, {
      body: { spec, file_name, files, cwd, output_dir, ...(set && { set }) },
      actor,
    });
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

  async registerWorker(identity: WorkerIdentity): Promise<RegisteredWorker> {
    const worker = await this.#connection.call(endpoints.registerWorker, { body: identity });
    this.#secrets.set(worker.id, worker.secret);
    return worker;
  }

  resumeWorker(
    { id, secret }: { id: number; secret: string },
    identity: WorkerIdentity,
  ): Promise<ResumedWorker> {
    this.#secrets.set(id, secret);
    return this.#connection.call(endpoints.resumeWorker, { ...this.#as(id), body: identity });
  }

  adopt(workflowId: number, workerId: number): Promise<Adoption> {
    return this.#connection.call(endpoints.adopt, {
      ...this.#as(workerId),
      body: { workflow_id: workflowId },
    });
  }

  /** Sent once: its worker, which numbers it, sends it again until there is an answer. */
  async exchange(id: number, exchange: Exchange): Promise<ExchangeResult> {
    const result = await this.#connection.call(endpoints.exchange, {
      ...this.#as(id),
      body: exchange,
      patienceMs: 0,
    });
    const room = roomAfter(exchange, result);
    this.#rooms.set(id, room);
    this.#news.get(id)?.exchanged(room);
    return result;
  }

  async putLogs(id: number, parts: LogPart[]): Promise<void> {
    for (const batch of logBatches(parts)) {
      await this.#connection.call(endpoints.putLogs, {
        ...this.#as(id),
        body: { parts: batch },
        patienceMs: WORKER_PATIENCE_MS,
      });
    }
  }

  retireWorker(id: number): Promise<void> {
    return this.#connection.call(endpoints.retireWorker, {
      ...this.#as(id),
      patienceMs: WORKER_PATIENCE_MS,
    });
  }

  onChange(listener: () => void, workerId?: number): () => void {
    if (workerId === undefined) return this.#changes.listen(listener);
    this.#news.get(workerId)?.stop();
    const news = new WorkerNews(this.#connection, this.#as(workerId), this.#rooms.get(workerId), listener);
    this.#news.set(workerId, news);
    return () => {
      news.stop();
      if (this.#news.get(workerId) === news) this.#news.delete(workerId);
    };
  }

  waitOutOutages(patience: OutagePatience): () => void {
    return this.#connection.waitOutOutages(patience);
  }

  /** What every request for a worker of this process carries. */
  #as(id: number): RequestOfWorker {
    const secret = this.#secrets.get(id);
    return { params: { worker_id: id }, headers: secret === undefined ? {} : { [WORKER_SECRET]: secret } };
  }

  async close(): Promise<void> {
    this.#connection.close();
  }
}

function withoutSource(): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', {
    argument: 'source',
    problem: 'a server takes the text of a spec, not a model that was made from it',
  });
}

function sentSource({ text, name, retry_defaults, set, files, overrides }: SpecSource) {
  return {
    spec: text,
    file_name: name,
    ...(retry_defaults && { retry_defaults }),
    ...(set && { set }),
    ...(files && { files }),
    ...(overrides && { overrides }),
  };
}
