import { rmSync } from 'node:fs';
import { causeOf, outcome } from '../../core/job/outcome.ts';
import { Attempt, type AttemptSurroundings } from './attempt.ts';
import { Fence } from './fence.ts';
import { attemptMarker, MARKER_NAME } from './kill/marker.ts';
import { OomKills } from './kill/oom-kills.ts';
import { ProcessFamilies } from './kill/process-families.ts';
import { signalProcess } from './kill/signal-process.ts';
import type { EndOrder, FenceOrder, Holdings, Notice, SpawnOrder } from './protocol.ts';
import { Queues } from './queues.ts';
import { DirectoryPool } from './start/directory-pool.ts';
import { needsFile, startProcess } from './start/start-process.ts';
import type { Starter } from './start/starter.ts';
import { WatchedFiles } from './watched-files.ts';

const SAMPLE_MS = 250;
/** Between looks for the last processes of an attempt that is being ended. */
const ENDING_MS = 25;
/** As many as there are threads that start them. */
const STARTS_AT_ONCE = 4;

interface LauncherOptions {
  markerPrefix: string;
  starter: Starter;
  send(notice: Notice): void;
  /** Resolves when nobody else kills attempts of this launcher any more. */
  guardianIsQuiet(): Promise<void>;
}

/** Carries out orders: the parent of all its attempts, until each of them is over. */
export class Launcher {
  readonly #markerPrefix: string;
  readonly #starter: Starter;
  readonly #send: (notice: Notice) => void;
  readonly #guardianIsQuiet: () => Promise<void>;
  readonly #families: ProcessFamilies;
  readonly #environment = { ...process.env };
  readonly #pool = new DirectoryPool();
  /** Orders not yet carried out: one start a turn, so that exits and other orders are not kept waiting. */
  readonly #waiting = new Map<number, SpawnOrder>();
  /** Attempts whose process is being started, with the orders to end them that came meanwhile. */
  readonly #starting = new Map<number, EndOrder[]>();
  /** All orders until they are over. The next of a queue starts without a word of the worker. */
  readonly #queues = new Queues<SpawnOrder>();
  readonly #attempts = new Map<number, Attempt>();
  /** Of attempts that declare files. */
  readonly #files = new Map<number, WatchedFiles>();
  readonly #surroundings: AttemptSurroundings;
  readonly #fence = new Fence(() => this.#fencePassed());
  /** Nothing is started while the guardian may kill it. */
  #isHeld = false;
  #nextLook: { timer: NodeJS.Timeout; at: number } | null = null;
  #lookPlanned = false;
  #stopped: (() => void) | null = null;

  constructor({ markerPrefix, starter, send, guardianIsQuiet }: LauncherOptions) {
    this.#markerPrefix = markerPrefix;
    this.#starter = starter;
    this.#send = send;
    this.#guardianIsQuiet = guardianIsQuiet;
    this.#families = new ProcessFamilies(markerPrefix);
    this.#surroundings = {
      oomKills: new OomKills(),
      killGroup: (leader) => starter.killGroup(leader),
      lookSoon: () => this.#lookSoon(),
      over: (attempt) => this.#over(attempt),
    };
  }

  accept(order: SpawnOrder | EndOrder | FenceOrder): void {
    if (order.kind === 'end') {
      this.#end(order);
      return;
    }
    if (order.kind === 'fence') {
      this.#fence.move(order.until);
      return;
    }
    const { token, queue = token } = order;
    if (this.#queues.add(queue, token, order)) this.#startSoon(order);
  }

  /** Kills everything, and resolves when nothing is left. */
  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#stopped = resolve;
      this.#endAll('stopped');
      this.#resolveIfIdle();
    });
  }

  /** Orders that were not carried out yet, and attempts that live. */
  get holdings(): Pick<Holdings, 'waiting' | 'started'> {
    const started = [...this.#attempts.values()].map(({ order, pid, startedAt }) => {
      return { kind: 'started' as const, token: order.token, pid, startedAt };
    });
    const followers = this.#queues.followers().map(({ token }) => token);
    return { waiting: [...this.#waiting.keys(), ...this.#starting.keys(), ...followers], started };
  }

  get isIdle(): boolean {
    return this.#attempts.size + this.#starting.size + this.#waiting.size + this.#queues.waiting === 0;
  }

  /** Whether an attempt will be started as soon as this one is over. */
  isFollowed(token: number): boolean {
    return this.#queues.isFollowed(token);
  }

  /** Its attempts, if there are any, are over because nobody renewed their lease. */
  get isFenced(): boolean {
    return this.#fence.isClosed;
  }

  /** The last resort of a process that cannot continue: one blow at everything, without waiting for the end. */
  killAll(): void {
    for (const attempt of this.#attempts.values()) attempt.kill();
    for (const family of this.#families.look().values()) {
      for (const { pid } of family) signalProcess(pid, 'SIGKILL');
    }
  }

  #end(order: EndOrder): void {
    const { token, why, unlessStarted = false } = order;
    const attempt = this.#attempts.get(token);
    const starting = this.#starting.get(token);
    if (attempt !== undefined || starting !== undefined) {
      if (unlessStarted) return;
      if (attempt !== undefined) this.#endStarted(attempt, order);
      starting?.push(order);
      return;
    }
    if (!this.#queues.has(token)) return;
    this.#waiting.delete(token);
    // The time of what was never started is not over.
    this.#reportUnstarted(token, { [why === 'out of time' ? 'stopped' : why]: true });
  }

  /** An exit that is already known to the system goes first, however busy this process was; not so at the fence. */
  #endStarted(attempt: Attempt, { token, why, now, mostGraceMs }: EndOrder): void {
    const end = () => this.#attempts.has(token) && attempt.end(why, now, mostGraceMs);
    if (why === 'lost') end();
    else setImmediate(end);
  }

  /** First what has not started, so that nothing takes the place of what ends. */
  #endAll(why: 'stopped' | 'lost'): void {
    const orders = [...this.#queues.followers(), ...this.#queues.firsts()];
    for (const { token } of orders) this.#end({ kind: 'end', token, why, now: true });
  }

  #startSoon(order: SpawnOrder): void {
    this.#waiting.set(order.token, order);
    if (this.#waiting.size === 1) setImmediate(() => this.#startNext());
  }

  /** The guardian kills the same attempts, and whatever else is started until it is done. */
  #fencePassed(): void {
    this.#endAll('lost');
    if (this.#isHeld) return;
    this.#isHeld = true;
    void this.#guardianIsQuiet().then(() => {
      this.#isHeld = false;
      this.#startNext();
    });
  }

  #startNext(): void {
    if (this.#isHeld || this.#starting.size >= STARTS_AT_ONCE) return;
    const [order] = this.#waiting.values();
    if (!order) return;
    this.#waiting.delete(order.token);
    if (this.#waiting.size > 0) setImmediate(() => this.#startNext());
    if (this.#fence.isClosed) this.#reportUnstarted(order.token, { lost: true });
    else this.#start(order);
  }

  /** It is over, and what follows it begins. */
  #leaveQueue(token: number): void {
    const next = this.#queues.remove(token)?.next;
    if (next === undefined) return;
    this.#waiting.set(next.token, next);
    if (this.#waiting.size === 1) this.#startNext();
  }

  #start(order: SpawnOrder): void {
    const { token } = order;
    const startedAt = Date.now();
    this.#starting.set(token, []);
    const failed = (error: Error) => {
      this.#starting.delete(token);
      this.#files.delete(token);
      this.#reportUnstarted(token, { spawn_error: error.message });
      this.#startNext();
    };
    try {
      if (order.watched || order.failedSuffix !== undefined) this.#files.set(token, new WatchedFiles(order));
    } catch (error) {
      failed(error as Error);
      return;
    }
    order.env[MARKER_NAME] = attemptMarker(this.#markerPrefix, token);
    const environment = { shared: this.#environment, own: order.env };
    startProcess(order, environment, this.#pool, this.#starter, {
      started: (pid) => this.#started(order, pid, startedAt),
      exited: (exit) => {
        this.#fence.check();
        this.#attempts.get(token)?.exited(exit);
      },
      failed,
    });
  }

  #started(order: SpawnOrder, pid: number, startedAt: number): void {
    const { token } = order;
    const attempt = new Attempt(order, pid, startedAt, this.#surroundings);
    const ends = this.#starting.get(token)!;
    this.#starting.delete(token);
    this.#attempts.set(token, attempt);
    this.#families.add(token, pid);
    this.#send({ kind: 'started', token, pid, startedAt });
    for (const { why, now, mostGraceMs } of ends) attempt.end(why, now, mostGraceMs);
    this.#planLook(SAMPLE_MS);
    this.#startNext();
  }

  /** Once for each order, whatever comes together. */
  #reportUnstarted(token: number, facts: Parameters<typeof outcome>[0]): void {
    if (!this.#queues.has(token)) return;
    this.#send({
      kind: 'ended',
      token,
      startedAt: null,
      finishedAt: Date.now(),
      outcome: outcome(facts),
      usage: null,
    });
    this.#leaveQueue(token);
    this.#resolveIfIdle();
  }

  #over(attempt: Attempt): void {
    const { token } = attempt.order;
    if (!this.#attempts.delete(token)) return;
    this.#families.remove(token);
    const facts = attempt.outcome();
    const succeeded = causeOf(facts) === null;
    const watched = this.#files.get(token);
    this.#files.delete(token);
    if (!succeeded) watched?.clearFailed();
    const files = watched?.facts();
    this.#send({
      kind: 'ended',
      token,
      startedAt: attempt.startedAt,
      finishedAt: Date.now(),
      outcome: facts,
      usage: attempt.usage,
      ...(attempt.samples.length > 0 && { samples: [...attempt.samples] }),
      ...(files && { files }),
    });
    this.#leaveQueue(token);
    this.#cleanUp(attempt.order, succeeded);
    this.#resolveIfIdle();
  }

  #cleanUp(order: SpawnOrder, succeeded: boolean): void {
    if (order.cleanUp === 'always' || (succeeded && order.cleanUp === 'after success')) {
      this.#pool.remove(order.workDir, order.cwd !== order.workDir);
      if (needsFile(order)) rmSync(order.scriptPath, { force: true });
    } else if (order.cleanUp === 'after success' && order.cwd !== order.workDir) {
      // Kept for people to look at; there is nothing to see in an empty one.
      this.#pool.removeIfEmpty(order.workDir);
    }
    if (succeeded) this.#pool.removeIfEmpty(order.checkpointDir);
  }

  #resolveIfIdle(): void {
    if (!this.isIdle || this.#stopped === null) return;
    this.#pool.close();
    this.#stopped();
  }

  /** Requests of one turn share a look. */
  #lookSoon(): void {
    if (this.#lookPlanned) return;
    this.#lookPlanned = true;
    setImmediate(() => {
      this.#lookPlanned = false;
      this.#look();
    });
  }

  #planLook(delayMs: number): void {
    const at = performance.now() + delayMs;
    if (this.#nextLook !== null) {
      if (this.#nextLook.at <= at) return;
      clearTimeout(this.#nextLook.timer);
    }
    const timer = setTimeout(() => {
      this.#nextLook = null;
      if (this.#isWorthALook()) this.#look();
      else if (this.#attempts.size > 0) this.#planLook(SAMPLE_MS);
    }, delayMs);
    this.#nextLook = { timer, at };
  }

  /** A look reads about every process of the machine; attempts that come and go between two are not worth it. */
  #isWorthALook(): boolean {
    const young = Date.now() - SAMPLE_MS / 2;
    return [...this.#attempts.values()].some((attempt) => attempt.startedAt <= young || attempt.isEnding);
  }

  #look(): void {
    if (this.#attempts.size === 0) return;
    this.#surroundings.oomKills.refresh();
    try {
      const families = this.#families.look();
      for (const [token, attempt] of this.#attempts) attempt.observe(families.get(token) ?? []);
    } catch (error) {
      // Out of descriptors or memory: the attempts continue, and the next look may succeed.
      console.error(new Date().toISOString(), 'launcher', process.pid, error);
    }
    const ending = [...this.#attempts.values()].some((attempt) => attempt.isEnding);
    if (this.#attempts.size > 0) this.#planLook(ending ? ENDING_MS : SAMPLE_MS);
  }
}
