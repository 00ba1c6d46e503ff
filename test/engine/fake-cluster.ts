import type { AllocationEnd, AllocationPlan, AllocationView, Cluster } from '../../src/contract/cluster.ts';
import { HoldfastError } from '../../src/core/errors.ts';

/**
 * What goes wrong with a call; `after`: it took effect, and only the answer is missing. `late`: whoever asked dies, and what
 * was asked for is done up to 30 s later, as by an `sbatch` that lives on.
 */
export type Fault = 'refused' | 'absent' | 'absent after' | 'crash' | 'crash after' | 'late';

/** No command of the cluster lives longer. */
const LATE_MS = 29_000;

export class Crash extends Error {}

interface FakeJob {
  id: string;
  tag: string;
  /** The one that has to end first. */
  after: string | null;
  state: 'queued' | 'running' | 'ended';
  why: string | null;
  never: boolean;
  startsAt: number | null;
  end: AllocationEnd | null;
  restarts: number;
}

/**
 * A little model of a cluster: it takes what is submitted, whatever becomes of its answer, and jobs move when the test
 * says so. An ended job is on no list; how it ended is known until it is forgotten.
 */
export class FakeCluster implements Cluster {
  readonly name = 'slurm';
  readonly jobs: FakeJob[] = [];
  readonly plans: AllocationPlan[] = [];
  readonly calls: string[] = [];
  /** What goes wrong with the next calls of each kind. */
  readonly faults: Record<'submit' | 'list' | 'ends' | 'cancel' | 'plan', Fault[]> = {
    submit: [],
    list: [],
    ends: [],
    cancel: [],
    plan: [],
  };
  readonly outputs = new Map<string, string>();
  /** Tags that were submitted while one of the same tag was there. */
  readonly doubled: string[] = [];
  readonly #now: () => number;
  #late: { at: number; act: () => unknown }[] = [];
  #next = 4711;

  constructor(now: () => number) {
    this.#now = now;
  }

  async submit(plan: AllocationPlan): Promise<string> {
    return this.#call('submit', () => {
      const job: FakeJob = {
        id: String(this.#next++),
        tag: plan.tag,
        after: plan.after,
        state: 'queued',
        why: 'Priority',
        never: false,
        startsAt: null,
        end: null,
        restarts: 0,
      };
      if (this.jobs.some(({ tag, state }) => tag === plan.tag && state !== 'ended'))
        this.doubled.push(plan.tag);
      this.jobs.push(job);
      this.plans.push(plan);
      return job.id;
    });
  }

  async list(tags: readonly string[]): Promise<AllocationView[]> {
    return this.#call('list', () =>
      this.jobs
        .filter(({ tag, state }) => tags.includes(tag) && state !== 'ended')
        .map((job) => ({
          id: job.id,
          tag: job.tag,
          state: job.state === 'running' ? ('running' as const) : ('queued' as const),
          word: job.state === 'running' ? 'RUNNING' : 'PENDING',
          why: job.state === 'running' ? null : job.why,
          never: job.never,
          startsAt: job.startsAt,
          endsAt: null,
        })),
    );
  }

  async ends(ids: readonly string[]): Promise<Map<string, AllocationEnd>> {
    return this.#call('ends', () => {
      const ended = this.jobs.filter(({ id, end }) => ids.includes(id) && end !== null);
      return new Map(ended.map(({ id, end }) => [id, end!]));
    });
  }

  async cancel(ids: readonly string[]): Promise<void> {
    await this.#call('cancel', () => {
      for (const job of this.jobs.filter(({ id, state }) => ids.includes(id) && state !== 'ended')) {
        job.state = 'ended';
        job.end = 'canceled';
      }
    });
  }

  /** What the allocator does before it submits. */
  async plan<T>(make: () => T): Promise<T> {
    return this.#call('plan', make);
  }

  alive(): FakeJob[] {
    this.#catchUp();
    return this.jobs.filter(({ state }) => state !== 'ended');
  }

  job(id: string): FakeJob {
    return this.jobs.find((job) => job.id === id)!;
  }

  start(id: string): void {
    Object.assign(this.job(id), { state: 'running', why: null });
  }

  requeue(id: string): void {
    const job = this.job(id);
    Object.assign(job, { state: 'queued', why: 'BeginTime', restarts: job.restarts + 1 });
  }

  end(id: string, end: AllocationEnd | null = 'completed'): void {
    Object.assign(this.job(id), { state: 'ended', end });
  }

  /** What was late has been done by now. */
  #catchUp(): void {
    const due = this.#late.filter(({ at }) => at <= this.#now());
    this.#late = this.#late.filter((each) => !due.includes(each));
    for (const { act } of due) act();
  }

  /** Runs it to its own end, whatever is to go wrong then. */
  async #call<T>(kind: keyof FakeCluster['faults'], act: () => T): Promise<T> {
    this.#catchUp();
    this.calls.push(kind);
    const fault = this.faults[kind].shift();
    if (fault === 'refused') {
      throw new HoldfastError('CLUSTER_REFUSED', { command: 'sbatch', problem: 'Invalid account' });
    }
    if (fault === 'crash') throw new Crash(kind);
    if (fault === 'absent') throw absent(kind);
    if (fault === 'late') {
      this.#late.push({ at: this.#now() + LATE_MS, act });
      throw new Crash(kind);
    }
    const answer = act();
    if (fault === 'crash after') throw new Crash(kind);
    if (fault === 'absent after') throw absent(kind);
    return answer;
  }
}

function absent(kind: string): HoldfastError {
  return new HoldfastError('CLUSTER_ABSENT', {
    command: kind,
    problem: 'Unable to contact slurm controller',
  });
}
