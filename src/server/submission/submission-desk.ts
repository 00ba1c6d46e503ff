import type { ServedEngine } from '../../contract/engine.ts';
import type { Simulation, SpecCheck } from '../../contract/records/overview.ts';
import type { WorkflowRecord } from '../../contract/records/records.ts';
import type { RequestRecord } from '../../contract/records/request.ts';
import type { UpdateResult } from '../../contract/records/update.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { CheckSubmission } from './check-submitted-spec.ts';
import type { RequestSubmission } from './read-request-submission.ts';
import type { Submission, UpdateSubmission } from './read-submission.ts';
import { SubmissionThread } from './submission-thread.ts';

/** A large workflow keeps its thread until it is stored; small ones need not wait for it. */
const THREADS = 2;
/** Each of them may be some megabytes. */
const MOST_WAITING = 32;

/** What of the engine is used. */
type Storing = Pick<ServedEngine, 'storeWorkflow' | 'storeUpdate' | 'createRequest'>;

/**
 * Takes submissions without keeping anybody else waiting: they are read in threads, and stored in short transactions.
 */
export class SubmissionDesk {
  readonly #engine: Storing;
  readonly #free: SubmissionThread[];
  readonly #all: readonly SubmissionThread[];
  readonly #waiting: { take: (thread: SubmissionThread) => void; giveUp: () => void }[] = [];
  #closed = false;

  constructor(engine: Storing) {
    this.#engine = engine;
    this.#all = Array.from({ length: THREADS }, () => new SubmissionThread());
    this.#free = [...this.#all];
  }

  submit(submission: Submission): Promise<WorkflowRecord & { notes: string[] }> {
    return this.#read(submission, async (thread) => {
      const { workflow, notes } = await thread.read(submission);
      return { ...(await this.#engine.storeWorkflow(workflow, thread.parts())), notes };
    });
  }

  update(workflowId: number, submission: UpdateSubmission): Promise<UpdateResult> {
    return this.#read(submission, async (thread) => {
      const { update, notes } = await thread.readUpdate(submission);
      return { ...(await this.#engine.storeUpdate(workflowId, update, thread.parts())), notes };
    });
  }

  /** `admit` refuses a name that is not the submitter's. */
  submitRequest(
    submission: RequestSubmission,
    admit: (name: string) => Promise<void>,
  ): Promise<RequestRecord & { notes: string[] }> {
    return this.#read(submission, async (thread) => {
      const { request, notes } = await thread.readRequest(submission);
      await admit(request.model.name);
      return { ...(await this.#engine.createRequest(request)), notes };
    });
  }

  /** Stores nothing. */
  check(submission: CheckSubmission): Promise<SpecCheck> {
    return this.#read(submission, (thread) => thread.check(submission));
  }

  /** Runs and stores nothing. */
  simulate(submission: CheckSubmission): Promise<Simulation> {
    return this.#read(submission, (thread) => thread.simulate(submission));
  }

  async #read<T>(
    { text, limits }: Pick<Submission, 'text' | 'limits'>,
    read: (thread: SubmissionThread) => Promise<T>,
  ): Promise<T> {
    if (Buffer.byteLength(text) > limits.size) throw new HoldfastError('TOO_LARGE', { limit: limits.size });
    const thread = await this.#thread();
    try {
      return await read(thread);
    } finally {
      thread.drop();
      this.#release(thread);
    }
  }

  /** What is being read or stored ends, and leaves nothing behind. */
  close(): void {
    this.#closed = true;
    for (const { giveUp } of this.#waiting.splice(0)) giveUp();
    for (const thread of this.#all) thread.end(new HoldfastError('SHUTTING_DOWN'));
  }

  async #thread(): Promise<SubmissionThread> {
    if (this.#closed) throw new HoldfastError('SHUTTING_DOWN');
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#waiting.length >= MOST_WAITING) throw new HoldfastError('TOO_BUSY');
    return new Promise((resolve, reject) => {
      this.#waiting.push({ take: resolve, giveUp: () => reject(new HoldfastError('SHUTTING_DOWN')) });
    });
  }

  #release(thread: SubmissionThread): void {
    const next = this.#waiting.shift();
    if (next !== undefined) next.take(thread);
    else this.#free.push(thread);
  }
}
