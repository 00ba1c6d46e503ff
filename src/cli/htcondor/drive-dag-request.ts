import type { ServedEngine } from '../../contract/engine.ts';
import type { RequestRecord } from '../../contract/records/request.ts';
import type { RunDriver } from '../../contract/run-engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { CommandContext } from '../command-context.ts';
import { onInterrupt } from '../interrupts.ts';
import { notifyOf } from '../notify/run-notifier.ts';
import { userName } from '../options/user-name.ts';
import type { Progress } from '../progress/progress.ts';
import { startRequestProgress } from '../progress/request-progress.ts';
import { finishOutputs } from '../run/finish-outputs.ts';
import { REQUEST_EXIT, refOf } from '../run/request-exit.ts';
import { requestView } from '../texts/requests/request-text.ts';
import { needDagman } from './need-dagman.ts';
import { pauseUnless } from './pause-unless.ts';
import { runDriver } from './run-driver.ts';

const INTERRUPTED = 130;
/** While DAGMan runs a round, other processes may change the request; a look costs little. */
const LOOK_MS = 1_000;

/**
 * Works off a request whose rounds DAGMan runs, without a server: this process submits them, follows them and reads them
 * back. Ctrl-C is a clean stop. Returns the exit code.
 */
export async function driveDagRequest(
  context: CommandContext,
  engine: ServedEngine,
  request: RequestRecord,
): Promise<number> {
  needDagman();
  const ref = refOf(request);
  const drive = new DagDrive(engine, ref, runDriver(context, { request: ref }));
  const notifier = await notifyOf(context, engine, { request: request.request_name });
  const progress = await startRequestProgress(engine, ref, context);
  const stopListening = onInterrupt((count) => drive.interrupt(count, progress));
  let end: RequestRecord;
  try {
    end = await drive.run();
    if (!drive.isStopped && end.output_errands.length > 0) {
      await finishOutputs(context, engine, ref, {
        isPatient: true,
        signal: drive.signal,
        note: (line) => progress.note(line),
        working: () => {},
      });
      end = await engine.getRequest(ref);
    }
  } finally {
    await drive.leave();
    await progress.stop();
    stopListening();
  }
  context.show(requestView, { request: end });
  await notifier.finish();
  return drive.isStopped ? INTERRUPTED : (REQUEST_EXIT[end.status] ?? INTERRUPTED);
}

class DagDrive {
  /** The request was stopped, here or elsewhere. */
  isStopped = false;
  readonly #engine: ServedEngine;
  readonly #ref: string;
  readonly #driver: RunDriver;
  readonly #waking = new AbortController();
  readonly #leaving = new AbortController();

  constructor(engine: ServedEngine, ref: string, driver: RunDriver) {
    this.#engine = engine;
    this.#ref = ref;
    this.#driver = driver;
  }

  get signal(): AbortSignal {
    return this.#waking.signal;
  }

  /** The first Ctrl-C stops the round, the second leaves it as it is. */
  interrupt(count: number, progress: Progress): void {
    this.isStopped = true;
    this.#waking.abort();
    if (count === 1) {
      progress.note('stopping; finished units are kept. Press Ctrl-C again to leave DAGMan to itself');
    } else this.#leaving.abort();
  }

  async run(): Promise<RequestRecord> {
    for (;;) {
      const request = await this.#engine.getRequest(this.#ref);
      const { status } = request;
      if (REQUEST_EXIT[status] !== undefined) {
        // A request that was failed meanwhile may have left a DAGMan that is to be removed.
        if (status === 'FAILED') await this.#engine.tendRuns(this.#driver);
        return request;
      }
      if (this.#leaving.signal.aborted) return request;
      if (this.isStopped && status === 'ACTIVE') await this.#stop();
      else if (this.isStopped && status !== 'STOPPING') return request;
      const wait = status === 'ACTIVE' || status === 'STOPPING' ? await this.#tend() : 0;
      const done = status === 'ACTIVE' ? false : await this.#engine.tendRequests({ name: this.#ref });
      if (!done) await pauseUnless((this.isStopped ? this.#leaving : this.#waking).signal, wait);
      // Another process has stopped it.
      if (status === 'STOPPING') this.isStopped = true;
    }
  }

  async leave(): Promise<void> {
    await this.#engine.leaveRuns(this.#driver);
  }

  async #tend(): Promise<number> {
    const { wait_ms } = await this.#engine.tendRuns(this.#driver);
    return Math.min(wait_ms, LOOK_MS);
  }

  async #stop(): Promise<void> {
    try {
      await this.#engine.stopRequest(this.#ref, { actor: userName(), reason: 'interrupted' });
    } catch (error) {
      // It ended, or another process stopped it, at the same moment.
      if (!(error instanceof HoldfastError && error.code === 'REQUEST_STATE')) throw error;
    }
  }
}
