import type { ServedEngine } from '../contract/engine.ts';
import type { FoundNews, WorkerNotice, WorkerRoom } from '../contract/records/worker-news.ts';
import { chooseTakers } from '../core/placement/choose-takers.ts';
import { WaitingWorker } from './waiting-worker.ts';

/** The pause before a look, for changes that come together; longer if no worker that waits could take a job. */
const PAUSE_MS = 5;
const FULL_PAUSE_MS = 20;
/** The pause after a look, as a multiple of the time that the look took. */
const PAUSE_FACTOR = 4;
/** Workers that were woken for jobs and have not exchanged yet, and how long they are waited for. */
const MOST_COMING = 64;
const COMING_MS = 1_000;
/** A worker that was woken for jobs and got none is not woken again at once: something else keeps it from them. */
const FIRST_REST_MS = 20;
const LONGEST_REST_MS = 250;
/** Workers leave, and many without a word: beyond so many, those who have rested are forgotten. */
const MOST_RESTS = 1_000;
/** Longer than that a timer cannot be set. */
const LONGEST_TIMER_MS = 86_400_000;

type News = Pick<ServedEngine, 'findNews' | 'workerPlaces' | 'onChange'>;

interface Rest {
  ms: number;
  until: number;
  /** What was free when it was woken. */
  slots: number;
}

/**
 * Wakes waiting workers when there may be something for them. A worker is woken when something concerns itself
 * or its jobs; for a job only if it could take the job, and only as many workers as there are jobs for. One look at the
 * database answers for all workers that wait.
 */
export class NewsDesk {
  readonly #engine: News;
  readonly #onProblem: (error: unknown) => void;
  readonly #unsubscribe: () => void;
  /** Longest waiting first. */
  readonly #waiting = new Map<number, WaitingWorker>();
  /** Those of them that could take a job. */
  readonly #able = new Set<WaitingWorker>();
  /** Woken for jobs, not yet back: what they will claim is not for others. */
  readonly #coming = new Map<number, { worker: WaitingWorker; until: number }>();
  readonly #rests = new Map<number, Rest>();
  /** The last notices of workers, as long as they are valid. */
  #notified = new Map<number, string>();
  /** What the last look found; null: something has changed since. */
  #found: FoundNews | null = null;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = 0;
  /** No look begins before this time. */
  #pausedUntil = 0;
  #looking = false;
  /** Something was asked for while it looked. */
  #again = false;
  #changes = 0;
  #closed = false;

  constructor(engine: News, onProblem: (error: unknown) => void) {
    this.#engine = engine;
    this.#onProblem = onProblem;
    this.#unsubscribe = engine.onChange(() => this.look());
  }

  /** Whether there may be something for the worker, at the latest when the time is over. Ends an earlier wait of it. */
  wait(workerId: number, timeoutMs: number, signal: AbortSignal, room: WorkerRoom): Promise<boolean> {
    this.#coming.delete(workerId);
    this.#waiting.get(workerId)?.answer(false);
    if (this.#closed || signal.aborted || timeoutMs <= 0) return Promise.resolve(false);
    return new Promise((resolve) => {
      const answer = (news: boolean) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        this.#able.delete(worker);
        if (this.#waiting.get(workerId) === worker) this.#waiting.delete(workerId);
        resolve(news);
      };
      const giveUp = () => answer(false);
      const timer = setTimeout(giveUp, timeoutMs);
      signal.addEventListener('abort', giveUp);
      const worker = new WaitingWorker(workerId, room, answer);
      const rest = this.#rests.get(workerId);
      // It has taken something, at another server.
      if (rest !== undefined && worker.free.slots < rest.slots) this.#rests.delete(workerId);
      this.#waiting.set(workerId, worker);
      if (worker.hasRoom) this.#able.add(worker);
      this.#lookFor(worker);
    });
  }

  /** The worker has exchanged, and could take so much after that. */
  exchanged(workerId: number, room: WorkerRoom, gotWork: boolean): void {
    const wasComing = this.#coming.delete(workerId);
    if (gotWork) this.#rests.delete(workerId);
    const worker = this.#waiting.get(workerId);
    if (worker !== undefined) {
      worker.room = room;
      if (worker.hasRoom) this.#able.add(worker);
      else this.#able.delete(worker);
      this.#lookFor(worker);
    }
    if (wasComing && this.#found !== null && isWork(this.#found)) this.#schedule(PAUSE_MS);
  }

  /** Something may have changed. Looks soon, and once for all changes meanwhile. */
  look(): void {
    this.#changes += 1;
    this.#found = null;
    this.#schedule(this.#able.size > 0 ? PAUSE_MS : FULL_PAUSE_MS);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#unsubscribe();
    for (const { answer } of [...this.#waiting.values()]) answer(false);
  }

  /** Looks if the last look does not say that there is nothing for the worker. */
  #lookFor(worker: WaitingWorker): void {
    const found = this.#found;
    const words = found?.notices.find(({ worker_id }) => worker_id === worker.id)?.words;
    const knowsAll = words === undefined || words === this.#notified.get(worker.id);
    const needsJobs = worker.hasRoom && (found === null || found.jobs === null || found.jobs.length > 0);
    if (found !== null && knowsAll && !needsJobs && !found.errands) return;
    this.#schedule(worker.hasRoom ? PAUSE_MS : FULL_PAUSE_MS);
  }

  #schedule(delayMs: number): void {
    if (this.#closed || this.#waiting.size === 0) return;
    if (this.#looking) {
      this.#again = true;
      return;
    }
    const now = performance.now();
    const at = Math.max(now + delayMs, this.#pausedUntil);
    if (this.#timer !== undefined && this.#timerAt <= at) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#lookNow();
    }, at - now);
  }

  async #lookNow(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const [begun, changes] = [performance.now(), this.#changes];
    this.#looking = true;
    this.#again = false;
    let nextMs: number | null = null;
    try {
      const found = await this.#engine.findNews(this.#able.size > 0);
      this.#notify(found.notices);
      const now = performance.now();
      if (isWork(found)) await this.#wakeFor(found, now);
      this.#found = this.#changes === changes ? found : null;
      nextMs = this.#nextLook(found, now);
    } catch (error) {
      // The sweep of the server looks again.
      this.#found = null;
      this.#onProblem(error);
    }
    const ended = performance.now();
    this.#pausedUntil = ended + PAUSE_FACTOR * (ended - begun);
    this.#looking = false;
    if (this.#again) this.#schedule(PAUSE_MS);
    if (nextMs !== null) this.#schedule(nextMs);
  }

  /** Once for each notice: the exchange that follows answers all of it. */
  #notify(notices: readonly WorkerNotice[]): void {
    const notified = new Map<number, string>();
    for (const { worker_id, words } of notices) {
      const isKnown = this.#notified.get(worker_id) === words;
      const worker = this.#waiting.get(worker_id);
      if (isKnown || worker !== undefined) notified.set(worker_id, words);
      if (!isKnown) worker?.answer(true);
    }
    this.#notified = notified;
  }

  async #wakeFor({ jobs, errands, at_ms }: FoundNews, now: number): Promise<void> {
    for (const [id, { until }] of this.#coming) if (until <= now) this.#coming.delete(id);
    if (jobs !== null && jobs.length > 0) {
      await this.#findPlaces();
      const coming = [...this.#coming.values()].map(({ worker }) => worker);
      const able = [...this.#able].filter((worker) => worker.isPlaced && this.#hasRested(worker, now));
      const chosen = chooseTakers(jobs, [...coming, ...able], at_ms);
      const woken = chosen.filter((worker) => this.#waiting.get(worker.id) === worker);
      for (const worker of woken.slice(0, MOST_COMING - coming.length)) this.#wake(worker, now);
    }
    // Whoever comes does errands as well.
    if (errands && this.#coming.size === 0) {
      const worker = [...this.#able, ...this.#waiting.values()].find((each) => this.#hasRested(each, now));
      if (worker !== undefined) this.#wake(worker, now);
    }
  }

  async #findPlaces(): Promise<void> {
    const ids = [...this.#able].flatMap(({ id, isPlaced }) => (isPlaced ? [] : id));
    if (ids.length === 0) return;
    for (const place of await this.#engine.workerPlaces(ids)) {
      const worker = this.#waiting.get(place.worker_id);
      if (worker !== undefined) worker.place = place;
    }
  }

  #wake(worker: WaitingWorker, now: number): void {
    const { id, free, answer } = worker;
    const ms = Math.min((this.#rests.get(id)?.ms ?? FIRST_REST_MS / 2) * 2, LONGEST_REST_MS);
    this.#rests.set(id, { ms, until: now + ms, slots: free.slots });
    if (this.#rests.size > MOST_RESTS) {
      for (const [other, { until }] of this.#rests) if (until <= now) this.#rests.delete(other);
    }
    this.#coming.set(id, { worker, until: now + COMING_MS });
    answer(true);
  }

  /** When to look again without a change; null: not. */
  #nextLook(found: FoundNews, now: number): number | null {
    const times = found.due_in_ms === null ? [] : [found.due_in_ms];
    if (isWork(found)) {
      for (const { until } of this.#coming.values()) times.push(until - now);
      for (const [id, { until }] of this.#rests) {
        if (until > now && this.#waiting.has(id)) times.push(until - now);
      }
    }
    return times.length === 0 ? null : Math.min(LONGEST_TIMER_MS, Math.max(0, Math.min(...times)));
  }

  #hasRested({ id }: WaitingWorker, now: number): boolean {
    return (this.#rests.get(id)?.until ?? 0) <= now;
  }
}

/** There is something that does not say which worker is to do it. */
function isWork({ jobs, errands }: FoundNews): boolean {
  return errands || (jobs !== null && jobs.length > 0);
}
