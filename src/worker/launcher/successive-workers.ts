import { existsSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { extendGuardian, guardianIsQuiet } from './guardian-line.ts';
import { Launcher } from './launcher.ts';
import { LineWriter, readLines } from './line-stream.ts';
import { monotonicNow } from './monotonic-now.ts';
import type { EndedNotice, Notice, Order, ReadyNotice } from './protocol.ts';
import type { Starter } from './start/starter.ts';

/** A start is reported together with the end of a short attempt. */
const START_WAIT_MS = 10;
/** Where the next attempt has begun already, the worker has nothing to do in a hurry. */
const FOLLOWED_WAIT_MS = 15;
/** How long a worker may take to announce a lease; it has to register first. */
const FIRST_FENCE_MS = 30_000;
/** How long an end is kept for a worker that comes after the lease is over; its server may have been away as well. */
const KEEP_ENDS_MS = 60_000;

/** How often a launcher without a worker looks whether it is still of use. */
const LOOK_MS = 500;

interface SuccessiveWorkersOptions {
  markerPrefix: string;
  starter: Starter;
  /** Where the next worker comes to; null: attempts die with the worker. */
  socketPath: string | null;
  /** Nothing lives, and everything was said. */
  leave(): void;
  /** It is about to leave: what still lives soon hangs in the kernel. */
  leaving(): void;
}

/**
 * Whom a launcher works for: the worker that started it, and after that one's death the next that comes to its socket, as
 * long as the lease lasts. What was not dealt with is reported again to the next.
 */
export class SuccessiveWorkers {
  readonly launcher: Launcher;
  readonly #options: SuccessiveWorkersOptions;
  /** Not dealt with yet. */
  readonly #ended = new Map<number, EndedNotice>();
  #worker: LineWriter | null = null;
  /** Came while there was a worker: it is heard when that one has been heard to its end. */
  #next: Socket | null = null;
  #isLeaving = false;

  constructor(options: SuccessiveWorkersOptions) {
    this.#options = options;
    this.launcher = new Launcher({
      markerPrefix: options.markerPrefix,
      starter: options.starter,
      send: (notice) => this.#notify(notice),
      guardianIsQuiet,
    });
  }

  /** Serves the worker at the other end of the streams, beginning with what there is to take over. */
  serve(orders: Readable, notices: Writable): void {
    const writer = new LineWriter(notices);
    this.#worker = writer;
    readLines(orders, (line) => this.#accept(line as Order));
    let left = false;
    const leave = () => {
      if (!left) this.#workerLeft();
      left = true;
    };
    for (const event of ['end', 'error', 'close'] as const) orders.on(event, leave);
    const ended = [...this.#ended.values()];
    const ready: ReadyNotice = { kind: 'ready', pid: process.pid, ...this.launcher.holdings, ended };
    writer.write(ready);
  }

  /** Lets a successor in. */
  listen(path: string): void {
    this.launcher.accept({ kind: 'fence', until: monotonicNow() + FIRST_FENCE_MS });
    createServer((socket) => {
      socket.on('error', () => {});
      if (this.#isLeaving) socket.destroy();
      else if (this.#worker === null) this.serve(socket, socket);
      else {
        this.#next?.destroy();
        this.#next = socket;
      }
    }).listen(path);
    setInterval(() => this.#leaveIfUseless(), LOOK_MS);
  }

  #accept(order: Order): void {
    if (order.kind === 'close') void this.#leave();
    else if (order.kind === 'forget') for (const token of order.tokens) this.#ended.delete(token);
    else {
      if (order.kind === 'fence') extendGuardian(order.until);
      this.launcher.accept(order);
    }
  }

  #notify(notice: Notice): void {
    if (notice.kind === 'ended' && this.#options.socketPath !== null) this.#ended.set(notice.token, notice);
    this.#worker?.write(notice, this.#waitMs(notice));
  }

  #waitMs(notice: Notice): number {
    if (notice.kind === 'started') return START_WAIT_MS;
    return notice.kind === 'ended' && this.launcher.isFollowed(notice.token) ? FOLLOWED_WAIT_MS : 0;
  }

  #workerLeft(): void {
    if (this.#options.socketPath === null) {
      // It may have closed its end on purpose, and listens.
      void this.#leave();
      return;
    }
    this.#worker = null;
    const next = this.#next;
    this.#next = null;
    if (next !== null) this.serve(next, next);
  }

  /** No worker came within the lease, or none can come any more: the socket was removed with the state directory. */
  #leaveIfUseless(): void {
    if (this.#worker !== null) return;
    if (!existsSync(this.#options.socketPath!)) {
      void this.#leave();
      return;
    }
    if (!this.launcher.isIdle || !this.launcher.isFenced) return;
    const youngest = Date.now() - KEEP_ENDS_MS;
    // One that was lost for want of a lease is known by its absence.
    const isWorthKeeping = ({ outcome, finishedAt }: EndedNotice) => !outcome.lost && finishedAt > youngest;
    if (![...this.#ended.values()].some(isWorthKeeping)) void this.#leave();
  }

  async #leave(): Promise<void> {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#options.leaving();
    await this.launcher.stop();
    if (this.#options.socketPath !== null) rmSync(this.#options.socketPath, { force: true });
    if (this.#worker === null) this.#options.leave();
    else this.#worker.flush(() => this.#options.leave());
  }
}
