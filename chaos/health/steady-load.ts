import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../api.ts';

const JOBS = 10;
const POLL_MS = 250;
/** A busy machine may keep everything waiting for minutes; what is lost never ends. */
const LATE_MS = 600_000;
/** Workflows that ended longer ago are deleted. */
const RETENTION_MS = 5 * 60_000;

/** What a client saw since it was last asked, in milliseconds. */
export interface Latencies {
  submit: number[];
  read: number[];
  workflow: number[];
}

/** Submits a workflow again and again, reads how it goes, and prunes what is old. */
export class SteadyLoad {
  readonly #api: Api;
  readonly #everyMs: number;
  #latencies: Latencies = { submit: [], read: [], workflow: [] };
  #count = 0;
  workflows = 0;
  jobs = 0;
  pruned = 0;
  readonly problems: string[] = [];

  /** A share of the jobs fails once, so that there are more attempts than jobs. */
  constructor(url: string, jobsPerSecond: number) {
    this.#api = new Api(() => [url]);
    this.#everyMs = (JOBS / jobsPerSecond) * 1000;
  }

  async run(signal: AbortSignal): Promise<void> {
    const open = new Set<Promise<void>>();
    while (!signal.aborted) {
      const one = this.#workflow().catch((error: Error) => void this.problems.push(String(error.stack)));
      open.add(one);
      void one.finally(() => open.delete(one));
      await sleep(this.#everyMs, undefined, { signal }).catch(() => {});
    }
    await Promise.all(open);
    this.problems.push(...this.#api.bugs);
  }

  /** Since the last call. */
  takeLatencies(): Latencies {
    const taken = this.#latencies;
    this.#latencies = { submit: [], read: [], workflow: [] };
    return taken;
  }

  /** What fails is a problem of its own: the rest is still measured. */
  async prune(): Promise<void> {
    try {
      const { status, body } = await this.#api.ask('POST', '/workflows/prune', {
        older_than_ms: RETENTION_MS,
      });
      if (status === 200) this.pruned += body.removed.length;
      else this.problems.push(`prune: ${status} ${JSON.stringify(body)}`);
    } catch (error) {
      this.problems.push(`prune: ${(error as Error).message}`);
    }
  }

  async #workflow(): Promise<void> {
    this.#count += 1;
    const name = `steady-${this.#count}`;
    const spec = JSON.stringify(steadySpec(name));
    const { body: workflow } = await this.#timed('submit', () =>
      this.#api.ask('POST', '/workflows', { spec }, name),
    );
    const end = performance.now() + LATE_MS;
    for (;;) {
      await sleep(POLL_MS);
      const { body } = await this.#timed('read', () =>
        this.#api.ask('GET', `/workflows/${workflow.id}/status`),
      );
      if (body.complete === true) {
        this.#latencies.workflow.push(body.finished_at_ms - body.workflow.created_at_ms);
        if (body.exit_code !== 0) this.problems.push(`${name} exited with ${body.exit_code}`);
        this.workflows += 1;
        this.jobs += JOBS;
        return;
      }
      if (performance.now() > end) throw new Error(`${name} is not complete after ${LATE_MS / 1000} s`);
    }
  }

  async #timed<T>(what: 'submit' | 'read', work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const result = await work();
    this.#latencies[what].push(performance.now() - began);
    return result;
  }
}

function steadySpec(name: string): object {
  const failsOnce = {
    command: '[ "$HOLDFAST_ATTEMPT_ID" -gt 1 ]',
    retry: { max_retries_failure: 3, initial_retry_delay_ms: 100 },
  };
  const jobs = Array.from({ length: JOBS - 1 }, (_, index) => ({
    name: `job${index}`,
    ...(index === 0 ? failsOnce : { command: 'echo done' }),
  }));
  const last = { name: 'last', command: 'true', depends_on: jobs.map((job) => job.name) };
  return { name, jobs: [...jobs, last] };
}
