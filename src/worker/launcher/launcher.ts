import { rmSync } from 'node:fs';
import { causeOf, outcome } from '../../core/outcome.ts';
import { Attempt, type AttemptSurroundings } from './attempt.ts';
import { DirectoryPool } from './directory-pool.ts';
import { Fence } from './fence.ts';
import { attemptMarker, MARKER_NAME } from './marker.ts';
import { OomKills } from './oom-kills.ts';
import { ProcessFamilies } from './process-families.ts';
import type { EndOrder, FenceOrder, Holdings, Notice, SpawnOrder } from './protocol.ts';
import { signalProcess } from './signal-process.ts';
import { describeSpawnError, needsFile, startProcess } from './start-process.ts';

const SAMPLE_MS = 250;
/** Between looks for the last processes of an attempt that is being ended. */
const FADING_MS = 25;

/** Carries out orders: the parent of all its attempts, until each of them is over. */
export class Launcher {
  readonly #markerPrefix: string;
  readonly #send: (notice: Notice) => void;
  readonly #families: ProcessFamilies;
  readonly #environment = { ...process.env };
  readonly #pool = new DirectoryPool();
  /** Orders not yet carried out: one start a turn, so that exits and other orders are not kept waiting. */
  readonly #waiting = new Map<number, SpawnOrder>();
  readonly #attempts = new Map<number, Attempt>();
  readonly #surroundings: AttemptSurroundings;
  readonly #fence = new Fence(() => this.#endAll('lost'));
  #nextLook: { timer: NodeJS.Timeout; at: number } | null = null;
  #lookPlanned = false;
  #stopped: (() => void) | null = null;

  constructor(markerPrefix: string, send: (notice: Notice) => void) {
    this.#markerPrefix = markerPrefix;
    this.#send = send;
    this.#families = new ProcessFamilies(markerPrefix);
    this.#surroundings = {
      oomKills: new OomKills(),
      lookSoon: () => this.#lookSoon(),
      over: (attempt) => this.#over(attempt),
    };
  }

  accept(order: SpawnOrder | EndOrder | FenceOrder): void {
    if (order.kind === 'end') {
      this.#end(order.token, order.why, order.now);
      return;
    }
    if (order.kind === 'fence') {
      this.#fence.move(order.until);
      return;
    }
    this.#waiting.set(order.token, order);
    if (this.#waiting.size === 1) setImmediate(() => this.#startNext());
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
    return { waiting: [...this.#waiting.keys()], started };
  }

  get isIdle(): boolean {
    return this.#attempts.size + this.#waiting.size === 0;
  }

  /** Its attempts, if there are any, are over because nobody renewed their lease. */
  get isFenced(): boolean {
    return this.#fence.isClosed;
  }

  /** The last resort of a process that cannot go on: one blow at everything, without waiting for the end. */
  killAll(): void {
    for (const attempt of this.#attempts.values()) attempt.kill();
    for (const family of this.#families.look().values()) {
      for (const { pid } of family) signalProcess(pid, 'SIGKILL');
    }
  }

  #end(token: number, why: 'canceled' | 'stopped' | 'lost', now: boolean): void {
    this.#attempts.get(token)?.end(why, now);
    if (this.#waiting.delete(token)) this.#reportUnstarted(token, { [why]: true });
  }

  #endAll(why: 'stopped' | 'lost'): void {
    for (const token of [...this.#waiting.keys(), ...this.#attempts.keys()]) this.#end(token, why, true);
  }

  #startNext(): void {
    const [order] = this.#waiting.values();
    if (!order) return;
    this.#waiting.delete(order.token);
    if (this.#waiting.size > 0) setImmediate(() => this.#startNext());
    if (this.#fence.isClosed) this.#reportUnstarted(order.token, { lost: true });
    else this.#start(order);
  }

  #start(order: SpawnOrder): void {
    const { token } = order;
    try {
      const startedAt = Date.now();
      const child = startProcess(
        order,
        {
          ...this.#environment,
          ...order.env,
          [MARKER_NAME]: attemptMarker(this.#markerPrefix, token),
        },
        this.#pool,
      );
      if (child.pid === undefined) {
        child.once('error', (error) => {
          this.#reportUnstarted(token, { spawnError: describeSpawnError(order, error) });
        });
        return;
      }
      const attempt = new Attempt(order, child.pid, startedAt, this.#surroundings);
      child.once('exit', (code, signal) => attempt.exited(code, signal));
      this.#attempts.set(token, attempt);
      this.#families.add(token, child.pid);
      this.#send({ kind: 'started', token, pid: child.pid, startedAt });
      this.#planLook(SAMPLE_MS);
    } catch (error) {
      this.#reportUnstarted(token, { spawnError: (error as Error).message });
    }
  }

  #reportUnstarted(token: number, facts: Parameters<typeof outcome>[0]): void {
    this.#send({
      kind: 'ended',
      token,
      startedAt: null,
      finishedAt: Date.now(),
      outcome: outcome(facts),
      usage: null,
    });
    this.#resolveIfIdle();
  }

  #over(attempt: Attempt): void {
    const { token } = attempt.order;
    if (!this.#attempts.delete(token)) return;
    this.#families.remove(token);
    const facts = attempt.outcome();
    this.#send({
      kind: 'ended',
      token,
      startedAt: attempt.startedAt,
      finishedAt: Date.now(),
      outcome: facts,
      usage: attempt.usage,
    });
    this.#cleanUp(attempt.order, causeOf(facts) === null);
    this.#resolveIfIdle();
  }

  #cleanUp(order: SpawnOrder, succeeded: boolean): void {
    if (order.cleanUp === 'always' || (succeeded && order.cleanUp === 'after success')) {
      this.#pool.remove(order.workDir, order.cwd !== order.workDir);
      if (needsFile(order.script)) rmSync(order.scriptPath, { force: true });
    } else if (order.cleanUp === 'after success' && order.cwd !== order.workDir) {
      // Kept for somebody to look at; there is nothing to see in an empty one.
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
    return [...this.#attempts.values()].some((attempt) => attempt.startedAt <= young || attempt.isFading);
  }

  #look(): void {
    if (this.#attempts.size === 0) return;
    this.#surroundings.oomKills.refresh();
    try {
      const families = this.#families.look();
      for (const [token, attempt] of this.#attempts) attempt.observe(families.get(token) ?? []);
    } catch (error) {
      // Out of descriptors or memory: the attempts go on, and the next look may succeed.
      console.error(new Date().toISOString(), 'launcher', process.pid, error);
    }
    const fading = [...this.#attempts.values()].some((attempt) => attempt.isFading);
    if (this.#attempts.size > 0) this.#planLook(fading ? FADING_MS : SAMPLE_MS);
  }
}
