import { userInfo } from 'node:os';
import { allPages } from '../contract/all-pages.ts';
import type { Engine, OutagePatience } from '../contract/engine.ts';
import type {
  AttemptRecord,
  EventRecord,
  JobDetails,
  WorkflowRecord,
  WorkflowStatus,
} from '../contract/records/records.ts';
import type { UpdateResult } from '../contract/records/update.ts';
import { HoldfastError } from '../core/errors.ts';
import type { JobRef } from '../core/job/job-ref.ts';
import type { WorkflowSpec } from '../spec/schema/workflow-schema.ts';
import { Changes } from './changes.ts';
import { type EventStreamOptions, eventStream } from './event-stream.ts';
import { type FunctionRequest, functionCommand, OUTPUT_NAME } from './function-job.ts';
import { functionResult } from './function-result.ts';
import { HttpEngine } from './http-engine.ts';
import { jobLog, type LogOptions } from './job-log.ts';
import { type JobRequest, specOfJob } from './job-request.ts';
import { type JobState, jobHasEnded, jobState } from './job-state.ts';
import { HttpConnection } from './transport/http-connection.ts';
import type { ServerAddress } from './transport/server-address.ts';

/** A job and its state. */
export interface SubmittedJob extends Omit<JobDetails, 'depends_on'> {
  job_id: number;
  state: JobState;
  /** Of the newest attempt; null while there is none, and after a success without one. */
  exit_code: number | null;
  /** How it failed; of a function, the exception. */
  error: string | null;
  /** What a function returned; null while there is nothing. */
  output: unknown;
  worker_id: number | null;
  started_at_ms: number | null;
  finished_at_ms: number | null;
  /** Of the current run, oldest first. */
  attempts: AttemptRecord[];
}

export interface SubmitOptions {
  /** The same key with the same job gives the job that there is. */
  idempotencyKey?: string;
}

export interface SubmitWorkflowOptions extends SubmitOptions {
  /** Where jobs run and logs are kept; relative paths are seen from where a worker was started. */
  cwd?: string;
  outputDir?: string;
  /** Jobs and output files at which the run is to end (default: at the end of everything). */
  until?: string[];
}

export interface WaitOptions {
  /** Seconds. */
  timeout?: number;
}

/** What a timer takes. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
/** An answer that is on its way when the time is over is still taken. */
const GRACE_MS = 1_000;

/** Gives work to a server and watches it. */
export class Client {
  readonly #connection: HttpConnection;
  readonly #engine: HttpEngine;

  readonly #patience: OutagePatience;

  constructor(address: ServerAddress, patience: OutagePatience) {
    this.#connection = new HttpConnection(address);
    this.#engine = new HttpEngine(this.#connection);
    this.#patience = patience;
  }

  /** Everything else that can be asked of the server. */
  get engine(): Engine {
    return this.#engine;
  }

  /** Has a worker run a command or a function. Returns the number of the job. */
  async submit<Args extends readonly unknown[]>(
    request: JobRequest | FunctionRequest<Args>,
    options: SubmitOptions = {},
  ): Promise<number> {
    const { cwd } = request;
    const place = { ...options, ...(cwd !== undefined && { cwd }) };
    const workflow = await this.submitWorkflow(specOfRequest(request), place);
    const { items } = await this.engine.listJobs(workflow.id, { limit: 1 });
    return items[0]!.id;
  }

  /** A spec as an object, or the text of one in YAML or JSON. */
  async submitWorkflow(
    spec: WorkflowSpec | string,
    { idempotencyKey, cwd = '.', outputDir = 'output', until }: SubmitWorkflowOptions = {},
  ): Promise<WorkflowRecord> {
    return this.#engine.createWorkflow({
      source: sourceOf(spec),
      cwd,
      output_dir: outputDir,
      actor: userName(),
      ...(until !== undefined && { until }),
      ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
    });
  }

  /**
   * Makes a stored workflow what an edited spec says: jobs that are different run again, with all that is downstream of
   * them; everything else keeps its results.
   */
  async updateWorkflow(
    workflowId: number,
    spec: WorkflowSpec | string,
    { dryRun = false }: { dryRun?: boolean } = {},
  ): Promise<UpdateResult> {
    return this.#engine.updateWorkflow(workflowId, {
      source: sourceOf(spec),
      actor: userName(),
      dry_run: dryRun,
    });
  }

  status(jobId: number): Promise<SubmittedJob> {
    return statusOf(this.engine, jobId);
  }

  /** Until the job has ended, or waits for a decision. After the timeout that is an error, and the job continues. */
  wait(jobId: number, options: WaitOptions = {}): Promise<SubmittedJob> {
    return this.#until(`job ${jobId}`, options, async (engine) => {
      const { status } = await engine.findJob(jobId);
      if (!jobHasEnded(status)) return null;
      const job = await statusOf(engine, jobId);
      return jobHasEnded(job.status) ? job : null;
    });
  }

  /** As `wait`, for all jobs of a workflow. */
  waitForWorkflow(workflowId: number, options: WaitOptions = {}): Promise<WorkflowStatus> {
    return this.#until(`workflow ${workflowId}`, options, async (engine) => {
      const status = await engine.status(workflowId);
      return status.exit_code === null ? null : status;
    });
  }

  /** Lines of what the job writes; until it has ended or waits for a decision (default). */
  async *logs(jobId: number, options: LogOptions = {}): AsyncGenerator<string, void> {
    const { signal } = options;
    if (signal?.aborted) return;
    const engine = signal === undefined ? this.engine : new HttpEngine(this.#connection.until(signal));
    const changes = new Changes(this.engine);
    const stopWaiting = this.#connection.waitOutOutages(this.#patience);
    const stop = () => changes.stop();
    signal?.addEventListener('abort', stop);
    try {
      yield* jobLog(engine, jobId, options, changes);
    } catch (error) {
      if (!signal?.aborted) throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
      stopWaiting();
      stop();
    }
  }

  /** The job is not run, or is ended where it runs. */
  async cancel(jobId: number, { reason }: { reason?: string } = {}): Promise<void> {
    const { workflow_id } = await this.engine.findJob(jobId);
    const jobs: JobRef[] = [jobId];
    await this.engine.cancel(workflow_id, {
      jobs,
      actor: userName(),
      ...(reason !== undefined && { reason }),
    });
  }

  /** The audit trail of a workflow as it is written, each event once; it does not end by itself. */
  async *events(workflowId: number, options: EventStreamOptions = {}): AsyncGenerator<EventRecord, void> {
    const stopWaiting = this.#connection.waitOutOutages(this.#patience);
    try {
      yield* eventStream(this.#connection, workflowId, options);
    } finally {
      stopWaiting();
    }
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    await this.#engine.close();
  }

  /** Looks at every change until there is something to return. */
  async #until<T>(
    what: string,
    { timeout }: WaitOptions,
    look: (engine: Engine) => Promise<T | null>,
  ): Promise<T> {
    const changes = new Changes(this.engine);
    const giveUp = new AbortController();
    const stopWaiting = this.#connection.waitOutOutages(this.#patience);
    const engine = new HttpEngine(this.#connection.until(giveUp.signal));
    let timer: NodeJS.Timeout | undefined;
    const end = () => {
      changes.stop();
      timer = setTimeout(() => giveUp.abort(), GRACE_MS);
    };
    if (timeout !== undefined) timer = setTimeout(end, Math.min(timeout * 1000, LONGEST_TIMEOUT_MS));
    try {
      while (!changes.isOver) {
        const found = await look(engine);
        if (found !== null) return found;
        await changes.next();
      }
    } catch (error) {
      if (!giveUp.signal.aborted) throw error;
    } finally {
      clearTimeout(timer);
      stopWaiting();
      changes.stop();
    }
    throw new HoldfastError('WAIT_TIMEOUT', { what, seconds: timeout! });
  }
}

async function statusOf(engine: Engine, jobId: number): Promise<SubmittedJob> {
  const { depends_on: _, ...job } = await engine.findJob(jobId);
  const attempts = await allPages((page) =>
    engine.listAttempts(job.workflow_id, { ...page, job: jobId, run_id: job.run_id }),
  );
  const newest = attempts.at(-1);
  return {
    ...job,
    job_id: job.id,
    state: jobState(job, newest),
    exit_code: newest?.exit_code ?? null,
    ...(await functionResult(engine, job, newest)),
    worker_id: newest?.worker_id ?? null,
    started_at_ms: newest?.started_at_ms ?? null,
    finished_at_ms: newest?.finished_at_ms ?? null,
    attempts,
  };
}

function specOfRequest<Args extends readonly unknown[]>(
  request: JobRequest | FunctionRequest<Args>,
): WorkflowSpec {
  if (!('entrypoint' in request)) return specOfJob(request);
  const { entrypoint, args, name = entrypoint?.name || 'function', ...rest } = request;
  if ('command' in rest) {
    const problem = 'cannot be given together with `command`';
    throw new HoldfastError('INVALID_ARGUMENT', { argument: 'entrypoint', problem });
  }
  return specOfJob({ ...rest, name, command: functionCommand(entrypoint, args) }, OUTPUT_NAME);
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'sdk';
  }
}

function sourceOf(spec: WorkflowSpec | string): { text: string; name: string } {
  return typeof spec === 'string'
    ? { text: spec, name: 'workflow.yaml' }
    : { text: JSON.stringify(spec), name: 'workflow.json' };
}
