import { statSync } from 'node:fs';
import type { LauncherLink, LinkCallbacks } from './launcher-link.ts';
import type { EndedNotice, EndOrder, Holdings, Notice, SpawnOrder, StartedNotice } from './protocol.ts';
import { Queues } from './queues.ts';

interface LauncherProcessOptions {
  markerPrefix: string;
  /** It outlives this worker, and reports to the next what was not dealt with. */
  isLasting: boolean;
  /** What it has, of a launcher that is taken over. */
  holdings?: Holdings;
  started(notice: StartedNotice): void;
  ended(notice: EndedNotice): void;
  /** Called once, when the process is gone and everything it said was heard. */
  gone(launcher: LauncherProcess): void;
}

interface Started {
  /** null: it died before it reported. */
  pid: number | null;
  startedAt: number;
}

/** The worker's handle on one launcher. */
export class LauncherProcess {
  readonly markerPrefix: string;
  /** Only what it has is waited for. */
  readonly isInherited: boolean;
  /** Its attempts, from the order to the end; null until they have started. */
  readonly attempts = new Map<number, Started | null>();
  /** Rejects if it is gone before. */
  readonly ready: Promise<void>;
  isReady: boolean;
  /** Another process ended it. */
  wasKilled = false;
  readonly #options: LauncherProcessOptions;
  readonly #link: LauncherLink;
  /** The work directory of each attempt that was not answered yet. */
  readonly #unanswered = new Map<number, string>();
  /** Work directories of the attempts that it was ordered to start, by queue. */
  readonly #queues = new Queues<string>();
  /** Ended, and to be reported again to the next worker. */
  readonly #remembered = new Set<number>();
  #settleReady!: { resolve: () => void; reject: (error: Error) => void };

  constructor(options: LauncherProcessOptions, link: (callbacks: LinkCallbacks) => LauncherLink) {
    this.#options = options;
    this.markerPrefix = options.markerPrefix;
    this.isInherited = options.holdings !== undefined;
    this.isReady = this.isInherited;
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = { resolve, reject };
    });
    this.ready.catch(() => {});
    this.#takeOver(options.holdings ?? { waiting: [], started: [], ended: [] });
    this.#link = link({ hear: (notice) => this.#hear(notice), gone: (...how) => this.#gone(...how) });
  }

  get pid(): number | null {
    return this.#link.pid;
  }

  /** Orders to start something that it has not answered yet: how busy it is. */
  get unanswered(): number {
    return this.#unanswered.size;
  }

  /** It runs nothing, and nothing that it said is to be kept. */
  get isSpent(): boolean {
    return this.attempts.size + this.#remembered.size === 0;
  }

  /** Whether it has an attempt in this queue. */
  hasQueue(queue: number): boolean {
    return this.#queues.hasQueue(queue);
  }

  spawn(order: SpawnOrder): void {
    const { token, queue = token, workDir } = order;
    this.attempts.set(token, null);
    this.#unanswered.set(token, workDir);
    this.#queues.add(queue, token, workDir);
    this.#link.send(order);
  }

  end(order: EndOrder): void {
    this.#link.send(order);
  }

  fence(until: number): void {
    this.#link.send({ kind: 'fence', until });
  }

  forget(tokens: readonly number[]): void {
    const known = tokens.filter((token) => this.#remembered.delete(token));
    if (known.length > 0) this.#link.send({ kind: 'forget', tokens: known });
  }

  /** Lets it kill what it has, report, and leave. */
  close(): void {
    this.#link.close();
  }

  kill(): void {
    this.#link.kill();
  }

  #takeOver({ waiting, started, ended }: Holdings): void {
    for (const token of waiting) this.attempts.set(token, null);
    for (const notice of started) this.attempts.set(notice.token, notice);
    for (const { token } of ended) this.#remembered.add(token);
  }

  #hear(notice: Notice): void {
    if (notice.kind === 'ready') {
      this.isReady = true;
      this.#settleReady.resolve();
      return;
    }
    if (!this.attempts.has(notice.token)) return;
    this.#unanswered.delete(notice.token);
    if (notice.kind === 'started') {
      this.attempts.set(notice.token, notice);
      this.#options.started(notice);
    } else {
      this.attempts.delete(notice.token);
      this.#queues.remove(notice.token);
      if (this.#options.isLasting) this.#remembered.add(notice.token);
      this.#options.ended(notice);
    }
  }

  #gone(how: string, wasKilled: boolean): void {
    this.wasKilled = wasKilled;
    this.#settleReady.reject(new Error(`the launcher could not be started (${how})`));
    for (const [token, path] of this.#unanswered) this.attempts.set(token, startedUnheard(path));
    this.#options.gone(this);
  }
}

/**
 * A command can kill its launcher before that has reported the start. Its work directory was made right
 * before, and without this evidence such an attempt would be free of charge, again and again.
 */
export function startedUnheard(workDir: string): Started | null {
  try {
    return { pid: null, startedAt: Math.floor(statSync(workDir).ctimeMs) };
  } catch {
    return null;
  }
}
