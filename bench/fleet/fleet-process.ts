import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { HttpEngine } from '../../src/client/http-engine.ts';
import { type FleetCounts, FleetWorker, inParallel, noCounts, type Rhythm } from './fleet-worker.ts';

/** Registrations of one process at a time: servers are slower with many at once than with a few. */
const AT_ONCE = 8;
/** How often a process reports how many of its workers are there. */
const PROGRESS_MS = 2_000;

/** The flag with which the bench starts itself as one of the processes. */
export const FLEET_FLAG = '--simulate-fleet';

/** The workers of one process: each `step`th of all, beginning with `first`. */
interface FleetShare {
  url: string;
  first: number;
  step: number;
  total: number;
  rhythm: Rhythm;
}

/** What the bench sees of a process with simulated workers. */
export class FleetProcess {
  readonly #child: ChildProcess;
  /** Rejects when the process ends by itself. */
  readonly failed: Promise<never>;
  #isStopping = false;
  #answer: ((counts: FleetCounts) => void) | undefined;
  /** Its workers that are registered. */
  registered = 0;

  constructor() {
    this.#child = fork(process.argv[1]!, [FLEET_FLAG], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.failed = once(this.#child, 'exit').then(([code, signal]) => {
      if (this.#isStopping) return new Promise<never>(() => {});
      throw new Error(`a process with simulated workers ended with ${code ?? signal}`);
    });
    this.failed.catch(() => {});
    this.#child.on('message', (message: FleetCounts | { registered: number }) => {
      if ('registered' in message) this.registered = message.registered;
      else this.#answer?.(message);
    });
  }

  /** Resolves once all its workers are registered and have a job. They begin to renew and to wait for news, each at its time. */
  async begin(share: FleetShare): Promise<void> {
    await this.#ask('begin', share);
  }

  /** What was done since the last call. */
  counts(): Promise<FleetCounts> {
    return this.#ask('counts');
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill();
    await ended;
  }

  #ask(order: string, share?: FleetShare): Promise<FleetCounts> {
    const answer = new Promise<FleetCounts>((resolve) => {
      this.#answer = resolve;
    });
    this.#child.send({ order, share });
    return Promise.race([answer, this.failed]);
  }
}

/** Is one of the processes. */
export function simulateFleet(): void {
  const counts = noCounts();
  process.on('disconnect', () => process.exit());
  process.on('message', async ({ order, share }: { order: string; share: FleetShare }) => {
    if (order === 'begin') await begin(share, counts);
    process.send!(counts);
    Object.assign(counts, noCounts());
  });
}

async function begin({ url, first, step, total, rhythm }: FleetShare, counts: FleetCounts): Promise<void> {
  const engine = new HttpEngine({ url, token: null });
  const workers: FleetWorker[] = [];
  const progress = setInterval(() => process.send!({ registered: workers.length }), PROGRESS_MS);
  await inParallel(Math.ceil((total - first) / step), AT_ONCE, async () => {
    const worker = await FleetWorker.register(engine);
    await worker.complete();
    workers.push(worker);
  });
  clearInterval(progress);
  process.send!({ registered: workers.length });
  for (const [index, worker] of workers.entries()) {
    const number = first + index * step;
    void worker.work(rhythm, number / total, number % rhythm.exchangesPerJob, counts);
  }
}
