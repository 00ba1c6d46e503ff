import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastError } from '../../core/errors.ts';
import { type Outcome, outcome } from '../../core/job/outcome.ts';
import { processIdentity } from '../../host/process-identity.ts';
import { findLaunchers } from '../launcher/find-launchers.ts';
import { Guardian } from '../launcher/guardian.ts';
import { killFamilies } from '../launcher/kill/kill-families.ts';
import { MARKER_NAME, markerPrefix } from '../launcher/kill/marker.ts';
import {
  LauncherDirectory,
  type LauncherPlace,
  noteLauncher,
  removePlace,
} from '../launcher/launcher-directory.ts';
import { type LauncherLink, type LinkCallbacks, startLauncher } from '../launcher/launcher-link.ts';
import { LauncherProcess } from '../launcher/launcher-process.ts';
import type {
  EndCause,
  EndedNotice,
  EndOrder,
  Holdings,
  SpawnOrder,
  StartedNotice,
} from '../launcher/protocol.ts';

export interface LauncherCallbacks {
  started(notice: StartedNotice): void;
  /** Exactly once per spawn order, also when a launcher died. */
  ended(notice: EndedNotice): void;
}

/** Launchers at a time. One more is started when there is much to start. */
const MAXIMUM = 2;
/** So many orders within this time make another launcher worth its 49 MB, if the first is so many of them behind. */
const BUSY_ORDERS = 30;
const BUSY_MS = 200;
const BUSY_UNANSWERED = 4;
/** Longer than a launcher waits for its last processes. */
const STOP_WAIT_MS = 20_000;
/** After so many in a row that were killed before they were ready, the next will be, too. */
const MOST_KILLED_YOUNG = 5;

/**
 * The processes that start and end a worker's jobs, and that take the jobs with them when they die. Lasting ones live
 * on when the worker dies, and wait for the next one in the same state directory until their fence is reached.
 */
export class Launchers {
  #callbacks: LauncherCallbacks = { started() {}, ended() {} };
  #starting: Promise<void> | null = null;
  readonly #maximum: number;
  readonly #markerPrefix = markerPrefix(randomUUID(), process.env[MARKER_NAME]);
  readonly #guardian = new Guardian(this.#markerPrefix);
  readonly #launchers = new Set<LauncherProcess>();
  /** Leftovers of dead launchers that are being killed. */
  readonly #losses = new Set<Promise<void>>();
  readonly #logPath: string;
  /** Where they can be found by the next worker; null: they die with this one. */
  readonly #directory: LauncherDirectory | null;
  /** When the newest orders came. */
  readonly #lastOrders: number[] = [];
  #log: number | null = null;
  /** Launchers in a row that were gone before they were ready. */
  #killedYoung = 0;
  #fencedFrom: number | null = null;
  #whenEmpty: (() => void) | null = null;
  #stopping: Promise<void> | null = null;

  /** `stateDir` is where launcher.log is kept. */
  constructor(stateDir: string, maximum = MAXIMUM, isLasting = false) {
    this.#maximum = maximum;
    this.#logPath = join(stateDir, 'launcher.log');
    this.#directory = isLasting ? new LauncherDirectory(stateDir) : null;
  }

  /** Who is notified from now on. */
  listen(callbacks: LauncherCallbacks): void {
    this.#callbacks = callbacks;
  }

  /** Resolves when the first launcher reads orders. */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    try {
      this.#log = openSync(this.#logPath, 'a');
    } catch (error) {
      const facts = { path: this.#logPath, problem: (error as Error).message };
      throw new HoldfastError('STATE_UNUSABLE', facts, error);
    }
    this.#guardian.ensure();
    await this.#startFirst();
  }

  /** One that was killed before it was ready says nothing about the next one. */
  async #startFirst(): Promise<void> {
    for (;;) {
      const launcher = this.#launch();
      try {
        return await launcher.ready;
      } catch (cause) {
        if (launcher.wasKilled && this.#stopping !== null) return;
        if (launcher.wasKilled && this.#killedYoung <= MOST_KILLED_YOUNG) continue;
        throw new Error(this.#noLauncher(), { cause });
      }
    }
  }

  /** Takes over what a dead worker's launchers have. New orders go to new ones, which know today's environment. */
  async inherit(): Promise<Holdings> {
    const found = this.#directory === null ? [] : await findLaunchers(this.#directory);
    const all: Holdings = { waiting: [], started: [], ended: [] };
    for (const { place, markerPrefix, holdings, link } of found) {
      const launcher = this.#add(markerPrefix, place, link, holdings);
      if (launcher.isSpent) launcher.close();
      all.waiting.push(...holdings.waiting);
      all.started.push(...holdings.started);
      all.ended.push(...holdings.ended);
    }
    return all;
  }

  spawn(order: SpawnOrder): void {
    if (this.#stopping) {
      setImmediate(() => this.#reportUnstarted(order.token, { stopped: true }));
      return;
    }
    this.#guardian.ensure();
    this.#launcherFor(order).spawn(order);
  }

  /** Reports it as stopped unless it has started. */
  giveBack(token: number): void {
    const order: EndOrder = { kind: 'end', token, why: 'stopped', now: false, unlessStarted: true };
    for (const launcher of this.#launchers) if (launcher.attempts.has(token)) launcher.end(order);
  }

  /** With the grace of its spawn order, at most `mostGraceMs` of it. */
  end(token: number, why: EndCause, now: boolean, mostGraceMs?: number): void {
    const order: EndOrder = { kind: 'end', token, why, now };
    if (mostGraceMs !== undefined) order.mostGraceMs = mostGraceMs;
    for (const launcher of this.#launchers) if (launcher.attempts.has(token)) launcher.end(order);
  }

  /** Nothing may live from then on, by `monotonicNow`, unless this is called again before. */
  fence(from: number): void {
    this.#fencedFrom = from;
    for (const launcher of this.#launchers) launcher.fence(from);
  }

  /** These ends have been dealt with: no later worker need hear of them. */
  forget(tokens: readonly number[]): void {
    for (const launcher of this.#launchers) {
      launcher.forget(tokens);
      if (launcher.isInherited && launcher.isSpent) launcher.close();
    }
  }

  /** Kills whatever still lives; resolves when no process is left, neither job nor launcher. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** For people and tests that look after processes. */
  get pids(): { launchers: number[]; guardian: number | null } {
    const launchers = [...this.#launchers].flatMap(({ pid }) => pid ?? []);
    return { launchers, guardian: this.#guardian.pid };
  }

  async #stop(): Promise<void> {
    const empty = new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
    });
    for (const launcher of this.#launchers) launcher.close();
    const timer = setTimeout(() => {
      for (const launcher of this.#launchers) launcher.kill();
    }, STOP_WAIT_MS);
    if (this.#launchers.size > 0) await empty;
    clearTimeout(timer);
    await Promise.all(this.#losses);
    await this.#guardian.dismiss();
    if (this.#log !== null) closeSync(this.#log);
  }

  /** A queue is in one launcher. */
  #launcherFor({ queue }: SpawnOrder): LauncherProcess {
    if (queue !== undefined)
      for (const launcher of this.#launchers) if (launcher.hasQueue(queue)) return launcher;
    return this.#choose();
  }

  #choose(): LauncherProcess {
    const all = [...this.#launchers].filter(({ isInherited }) => !isInherited);
    const ready = all.filter(({ isReady }) => isReady);
    const [least] = (ready.length > 0 ? ready : all).sort(
      (a, b) => a.unanswered - b.unanswered || a.attempts.size - b.attempts.size,
    );
    if (least === undefined) return this.#launch();
    if (all.length < this.#maximum && this.#isBusy() && least.unanswered >= BUSY_UNANSWERED) this.#launch();
    return least;
  }

  #isBusy(): boolean {
    const now = performance.now();
    this.#lastOrders.push(now);
    if (this.#lastOrders.length < BUSY_ORDERS) return false;
    return now - this.#lastOrders.shift()! < BUSY_MS;
  }

  #launch(): LauncherProcess {
    const log = this.#log;
    if (log === null) throw new Error('Launchers.start() comes before spawn()');
    const place = this.#directory?.newPlace() ?? null;
    const socketPath = place?.socketPath ?? null;
    const options = { markerPrefix: this.#markerPrefix, log, lifeline: this.#guardian.lifeline, socketPath };
    const launcher = this.#add(this.#markerPrefix, place, (callbacks) => startLauncher(options, callbacks));
    if (place !== null && launcher.pid !== null) {
      noteLauncher(place, { ...processIdentity(launcher.pid), marker_prefix: this.#markerPrefix });
    }
    if (this.#fencedFrom !== null) launcher.fence(this.#fencedFrom);
    return launcher;
  }

  #add(
    prefix: string,
    place: LauncherPlace | null,
    link: (callbacks: LinkCallbacks) => LauncherLink,
    holdings?: Holdings,
  ): LauncherProcess {
    const launcher = new LauncherProcess(
      {
        markerPrefix: prefix,
        isLasting: place !== null,
        ...(holdings && { holdings }),
        started: (notice) => this.#callbacks.started(notice),
        ended: (notice) => this.#callbacks.ended(notice),
        gone: (gone) => {
          if (place !== null) removePlace(place);
          this.#bury(gone);
        },
      },
      link,
    );
    this.#launchers.add(launcher);
    const ready = () => {
      this.#killedYoung = 0;
    };
    launcher.ready.then(ready, () => {});
    return launcher;
  }

  /** A launcher is gone. Whatever it left behind is killed before anybody hears that it is lost. */
  #bury(launcher: LauncherProcess): void {
    this.#launchers.delete(launcher);
    if (!launcher.isReady) this.#killedYoung += 1;
    if (launcher.attempts.size > 0) {
      const loss = this.#reportLost(launcher).finally(() => this.#losses.delete(loss));
      this.#losses.add(loss);
    }
    if (this.#launchers.size === 0) this.#whenEmpty?.();
  }

  async #reportLost({ attempts, isReady, wasKilled, markerPrefix }: LauncherProcess): Promise<void> {
    if (!isReady && !(wasKilled && this.#killedYoung <= MOST_KILLED_YOUNG)) {
      // Not lost, or the jobs would be tried for ever: a launcher that cannot start will not the next time.
      const spawnError = this.#noLauncher();
      for (const token of attempts.keys()) this.#reportUnstarted(token, { spawn_error: spawnError });
      return;
    }
    const pids = [...attempts].map(([token, started]) => [token, started?.pid ?? null] as const);
    await killFamilies(markerPrefix, new Map(pids), () => new Set(this.pids.launchers));
    for (const [token, started] of attempts) {
      this.#callbacks.ended({
        kind: 'ended',
        token,
        startedAt: started?.startedAt ?? null,
        finishedAt: Date.now(),
        outcome: outcome({ lost: true }),
        usage: null,
      });
    }
  }

  #noLauncher(): string {
    return `the process that starts jobs could not be started; ${this.#logPath} may say why`;
  }

  #reportUnstarted(token: number, facts: Partial<Outcome>): void {
    this.#callbacks.ended({
      kind: 'ended',
      token,
      startedAt: null,
      finishedAt: Date.now(),
      outcome: outcome(facts),
      usage: null,
    });
  }
}
