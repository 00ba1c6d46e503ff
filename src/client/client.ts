import { userInfo } from 'node:os';
import { allPages } from '../core/all-pages.ts';
import type { Engine } from '../core/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import type { JobRef } from '../core/job-ref.ts';
import type {
  AttemptRecord,
  EventRecord,
  JobDetails,
  WorkflowRecord,
  WorkflowStatus,
} from '../core/records.ts';
import type { WorkflowSpec } from '../spec/schema/workflow-schema.ts';
import { Changes } from './changes.ts';
import { type EventStreamOptions, eventStream } from './event-stream.ts';
import { HttpConnection, type ServerAddress } from './http-connection.ts';
import { HttpEngine } from './http-engine.ts';
import { jobLog, type LogOptions } from './job-log.ts';
import { type JobRequest, specOfJob } from './job-request.ts';
import { hasEnded, type JobState, jobState } from './job-state.ts';

/** A job with what became of it so far. */
export interface SubmittedJob extends Omit<JobDetails, 'depends_on'> {
  job_id: number;
  state: JobState;
  /** Of the newest attempt; null while there is none, and after a success without one. */
  exit_code: number | null;
  error: string | null;
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
}

export interface WaitOptions {
  /** Seconds. */
  timeout?: number;
}

/** What a timer takes. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Gives work to a server and watches it. */
export class Client {
  readonly #connection: HttpConnection;
  readonly #engine: HttpEngine;

  constructor(address: ServerAddress) {
    this.#connection = new HttpConnection(address);
    this.#engine = new HttpEngine(address, this.#connection);
  }

  /** Everything else that can be asked of the server. */
  get engine(): Engine {
    return this.#engine;
  }

  /** Has a worker run a command. Returns the number of the job. */
  async submit(request: JobRequest, options: SubmitOptions = {}): Promise<number> {
    const { cwd } = request;
    const place = { ...options, ...(cwd !== undefined && { cwd }) };
    const workflow = await this.submitWorkflow(specOfJob(request), place);
    const { items } = await this.engine.listJobs(workflow.id, { limit: 1 });
    return items[0]!.id;
  }

  /** A spec as an object, or the text of one in YAML or JSON. */
  async submitWorkflow(
    spec: WorkflowSpec | string,
    { idempotencyKey, cwd = '.', outputDir = 'output' }: SubmitWorkflowOptions = {},
  ): Promise<WorkflowRecord> {
    const text = typeof spec === 'string' ? spec : JSON.stringify(spec);
    return this.#engine.createWorkflow({
      source: { text, name: typeof spec === 'string' ? 'workflow.yaml' : 'workflow.json' },
      cwd,
      output_dir: outputDir,
      actor: userName(),
      ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
    });
  }

  async status(jobId: number): Promise<SubmittedJob> {
    const { depends_on: _, ...job } = await this.engine.findJob(jobId);
    const attempts = await allPages((page) =>
      this.engine.listAttempts(job.workflow_id, { ...page, job: jobId, run_id: job.run_id }),
    );
    const newest = attempts.at(-1);
    return {
      ...job,
      job_id: job.id,
      state: jobState(job, newest),
      exit_code: newest?.exit_code ?? null,
      error: newest?.error ?? null,
      worker_id: newest?.worker_id ?? null,
      started_at_ms: newest?.started_at_ms ?? null,
      finished_at_ms: newest?.finished_at_ms ?? null,
      attempts,
    };
  }

  /** Until the job has ended, or waits for a decision. After the timeout that is an error, and the job goes on. */
  async wait(jobId: number, options: WaitOptions = {}): Promise<SubmittedJob> {
    await this.#until(`${jobId}`, options, async () => {
      const { status } = await this.engine.findJob(jobId);
      return hasEnded(jobState({ status }, undefined));
    });
    return this.status(jobId);
  }

  /** As `wait`, for all jobs of a workflow. */
  async waitForWorkflow(workflowId: number, options: WaitOptions = {}): Promise<WorkflowStatus> {
    await this.#until(`of workflow ${workflowId}`, options, async () => {
      return (await this.engine.status(workflowId)).exit_code !== null;
    });
    return this.engine.status(workflowId);
  }

  /** Lines of what the job writes; until it has ended, unless told otherwise. */
  async *logs(jobId: number, options: LogOptions = {}): AsyncGenerator<string, void> {
    const changes = new Changes(this.engine);
    const stop = () => changes.stop();
    options.signal?.addEventListener('abort', stop);
    try {
      if (options.signal?.aborted !== true) yield* jobLog(this.engine, jobId, options, changes);
    } finally {
      options.signal?.removeEventListener('abort', stop);
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
  events(workflowId: number, options: EventStreamOptions = {}): AsyncGenerator<EventRecord, void> {
    return eventStream(this.#connection, workflowId, options);
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    await this.#engine.close();
  }

  async #until(what: string, { timeout }: WaitOptions, isReached: () => Promise<boolean>): Promise<void> {
    const changes = new Changes(this.engine);
    const timer =
      timeout === undefined
        ? undefined
        : setTimeout(() => changes.stop(), Math.min(timeout * 1000, LONGEST_TIMEOUT_MS));
    try {
      while (!(await isReached())) {
        if (changes.isOver) throw new HoldfastError('WAIT_TIMEOUT', { job: what, seconds: timeout! });
        await changes.next();
      }
    } finally {
      clearTimeout(timer);
      changes.stop();
    }
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'sdk';
  }
}
