import { totalmem } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { NewRequest, SubmittedUpdate } from '../../contract/engine.ts';
import type { Simulation, SpecCheck } from '../../contract/records/overview.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { SubmittedWorkflow, WorkflowPart } from '../../core/model/workflow-parts.ts';
import { builtFile } from '../../core/package-files.ts';
import { RequestError } from '../requests/request-error.ts';
import type { CheckSubmission } from './check-submitted-spec.ts';
import type { SubmissionRefusal, ThreadAnswer, ThreadRequest } from './main.ts';
import type { RequestSubmission } from './read-request-submission.ts';
import type { Submission, UpdateSubmission } from './read-submission.ts';

/** A million jobs take half a gigabyte, and more with files of their own; a small machine must not be brought down by them. */
const MOST_MEMORY_MB = Math.min(2048, Math.round(totalmem() / 4 / 1024 ** 2));
/** What takes longer to read is refused. */
const READ_WITHIN_MS = 120_000;

/** The handle on one thread that reads submissions. */
export class SubmissionThread {
  #worker: Worker | null = null;
  #pending: { resolve: (answer: ThreadAnswer) => void; reject: (error: Error) => void } | null = null;
  readonly #readWithinMs: number;

  constructor(readWithinMs = READ_WITHIN_MS) {
    this.#readWithinMs = readWithinMs;
  }

  /** The workflow, ready to be stored; refusals are errors. */
  async read(submission: Submission): Promise<{ workflow: SubmittedWorkflow; notes: string[] }> {
    const answer = await this.#read({ kind: 'read', submission });
    if (answer.kind !== 'read') throw errorOf(answer);
    return { workflow: answer.workflow, notes: answer.notes };
  }

  /** The same for an update of a workflow that there is. */
  async readUpdate(submission: UpdateSubmission): Promise<{ update: SubmittedUpdate; notes: string[] }> {
    const answer = await this.#read({ kind: 'read_update', submission });
    if (answer.kind !== 'update') throw errorOf(answer);
    return { update: answer.update, notes: answer.notes };
  }

  /** The same for a request. */
  async readRequest(submission: RequestSubmission): Promise<{ request: NewRequest; notes: string[] }> {
    const answer = await this.#read({ kind: 'read_request', submission });
    if (answer.kind !== 'request') throw errorOf(answer);
    return { request: answer.request, notes: answer.notes };
  }

  async check(submission: CheckSubmission): Promise<SpecCheck> {
    const answer = await this.#read({ kind: 'check', submission });
    if (answer.kind !== 'checked') throw errorOf(answer);
    return answer.check;
  }

  async simulate(submission: CheckSubmission): Promise<Simulation> {
    const answer = await this.#read({ kind: 'simulate', submission });
    if (answer.kind !== 'simulated') throw errorOf(answer);
    return answer.simulation;
  }

  async #read(request: ThreadRequest): Promise<ThreadAnswer> {
    const timer = setTimeout(() => this.end(tooMuch('time')), this.#readWithinMs);
    try {
      return await this.#ask(request);
    } finally {
      clearTimeout(timer);
    }
  }

  /** What the workflow that was read last consists of. */
  async *parts(): AsyncGenerator<WorkflowPart> {
    for (;;) {
      const answer = await this.#ask({ kind: 'next' });
      if (answer.kind !== 'part') throw errorOf(answer);
      if (answer.part === null) return;
      yield answer.part;
    }
  }

  /** The thread needs the workflow no longer. */
  drop(): void {
    this.#worker?.postMessage({ kind: 'drop' } satisfies ThreadRequest);
  }

  /** What it is doing ends with this error; the next submission gets a new thread. */
  end(error: Error): void {
    void this.#worker?.terminate();
    this.#gone(error);
  }

  #ask(request: ThreadRequest): Promise<ThreadAnswer> {
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      this.#worker ??= this.#start();
      this.#worker.ref();
      this.#worker.postMessage(request);
    });
  }

  #start(): Worker {
    const worker = new Worker(builtFile('submission'), {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
    });
    worker.on('message', (answer: ThreadAnswer) => {
      const pending = this.#pending;
      this.#pending = null;
      worker.unref();
      pending?.resolve(answer);
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#worker !== worker) return;
      this.#gone(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch('memory') : error);
    });
    worker.on('exit', () => {
      if (this.#worker === worker) this.#gone(new Error('the thread that reads submissions ended'));
    });
    return worker;
  }

  #gone(error: Error): void {
    const pending = this.#pending;
    this.#worker = null;
    this.#pending = null;
    pending?.reject(error);
  }
}

function tooMuch(what: 'time' | 'memory'): HoldfastError {
  return new HoldfastError('INVALID_SPEC', {
    problems: `reading the spec takes too much ${what}; split the workflow`,
  });
}

function errorOf(answer: ThreadAnswer): Error {
  if (answer.kind === 'refused') return refusalError(answer.refusal);
  return new Error(answer.kind === 'failed' ? answer.problem : `unexpected answer ${answer.kind}`);
}

function refusalError({ code, message, hint, fields }: SubmissionRefusal): HoldfastError {
  if (fields === null) return HoldfastError.received(code, message, hint);
  const error = new RequestError(fields, code === 'INVALID_SPEC' ? code : 'INVALID_REQUEST');
  return Object.assign(error, { message });
}
