import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Outcome, outcome } from '../../core/outcome.ts';
import type { Usage } from '../../core/records.ts';
import type { OomKills } from './oom-kills.ts';
import type { ProcessInfo } from './process-table.ts';
import type { SpawnOrder } from './protocol.ts';
import { signalGroup, signalProcess } from './signal-process.ts';

type EndReason = 'timeout' | 'oom' | 'canceled' | 'stopped' | 'lost';

export interface AttemptSurroundings {
  oomKills: OomKills;
  /** Asks for an early call of `observe`. */
  lookSoon(): void;
  /** The attempt is over and nothing of it lives that should not. Called once. */
  over(attempt: Attempt): void;
}

/** Longest wait that a timer can hold. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Processes that survive SIGKILL for so long hang in the kernel; nobody can end them. */
const UNKILLABLE_AFTER_MS = 10_000;
const NEAR_LIMIT = 0.9;

/** One started process with its family, until all of it is gone. */
export class Attempt {
  readonly order: SpawnOrder;
  readonly pid: number;
  readonly startedAt: number;
  readonly #surroundings: AttemptSurroundings;
  readonly #oomKillsBefore: number;
  readonly #told = new Set<number>();
  #timeout: NodeJS.Timeout | undefined;
  #grace: NodeJS.Timeout | undefined;
  /** The first reason wins. */
  #reason: EndReason | null = null;
  #killedAt: number | null = null;
  #exit: { code: number | null; signal: string | null } | null = null;
  #usage: Usage | null = null;
  #lastRssBytes = 0;

  constructor(order: SpawnOrder, pid: number, startedAt: number, surroundings: AttemptSurroundings) {
    this.order = order;
    this.pid = pid;
    this.startedAt = startedAt;
    this.#surroundings = surroundings;
    this.#oomKillsBefore = surroundings.oomKills.count;
    if (order.timeoutMs !== null) this.#armTimeout(performance.now() + order.timeoutMs);
  }

  get usage(): Usage | null {
    return this.#usage;
  }

  /** Nothing more will tell when its last processes are gone: they have to be looked for. */
  get isFading(): boolean {
    return this.#reason !== null && (this.#exit !== null || this.#killedAt !== null);
  }

  end(reason: EndReason, now: boolean): void {
    const first = this.#reason === null;
    this.#reason ??= reason;
    if (now) {
      this.kill();
    } else if (first) {
      signalGroup(this.pid, 'SIGTERM');
      this.#grace = setTimeout(() => this.kill(), Math.min(this.order.graceMs, MAX_TIMER_MS));
    }
    this.#surroundings.lookSoon();
  }

  /** SIGKILL to the group at once; what has left the group follows with the next look. */
  kill(): void {
    clearTimeout(this.#grace);
    this.#killedAt ??= performance.now();
    if (this.#exit === null) signalGroup(this.pid, 'SIGKILL');
    this.#surroundings.lookSoon();
  }

  exited(code: number | null, signal: string | null): void {
    this.#exit = { code, signal };
    clearTimeout(this.#timeout);
    if (this.#reason !== null) {
      this.#surroundings.lookSoon();
      return;
    }
    signalGroup(this.pid, 'SIGKILL');
    this.#surroundings.over(this);
  }

  /** Told what lives of the family, every now and then. */
  observe(family: readonly ProcessInfo[]): void {
    this.#measure(family);
    if (this.#reason === null) return;
    for (const process of family) {
      if (this.#killedAt !== null) {
        signalProcess(process.pid, 'SIGKILL');
      } else if (process.group !== this.pid && !this.#told.has(process.pid)) {
        this.#told.add(process.pid);
        signalProcess(process.pid, 'SIGTERM');
      }
    }
    if (this.#exit === null) return;
    const unkillable = this.#killedAt !== null && performance.now() - this.#killedAt > UNKILLABLE_AFTER_MS;
    if (family.length > 0 && !unkillable) return;
    clearTimeout(this.#grace);
    this.#surroundings.over(this);
  }

  outcome(): Outcome {
    const { code, signal } = this.#exit ?? { code: null, signal: null };
    const evidence = this.#oomEvidence();
    return outcome({
      exitCode: code,
      signal,
      timedOut: this.#reason === 'timeout',
      oom: evidence !== null,
      oomEvidence: evidence,
      lost: this.#reason === 'lost',
      stopped: this.#reason === 'stopped',
      canceled: this.#reason === 'canceled',
      missingOutputs: this.#reason === null && code === 0 ? this.#missingOutputs() : [],
    });
  }

  #armTimeout(due: number): void {
    const rest = due - performance.now();
    this.#timeout = setTimeout(
      () => {
        if (rest > MAX_TIMER_MS) this.#armTimeout(due);
        // An exit that is already known to the system goes first, however busy this process was.
        else setImmediate(() => this.#exit === null && this.end('timeout', false));
      },
      Math.min(rest, MAX_TIMER_MS),
    );
  }

  #measure(family: readonly ProcessInfo[]): void {
    let rss = 0;
    let cpu = 0;
    for (const process of family) {
      rss += process.rssBytes;
      cpu += process.cpuSeconds;
    }
    // Processes that are being torn down have no memory any more; what counts is what they had before.
    if (rss === 0) return;
    this.#lastRssBytes = rss;
    this.#usage = {
      peak_rss_bytes: Math.max(rss, this.#usage?.peak_rss_bytes ?? 0),
      cpu_seconds: Math.max(cpu, this.#usage?.cpu_seconds ?? 0),
    };
    const { memoryBytes, enforceMemory } = this.order;
    if (enforceMemory && memoryBytes !== null && rss > memoryBytes && this.#reason === null) {
      this.end('oom', false);
    }
  }

  #oomEvidence(): Outcome['oomEvidence'] {
    if (this.#reason === 'oom') return 'sampler';
    // bash survives a program that was killed, and ends with 128 + 9.
    const killed = this.#exit?.signal === 'SIGKILL' || this.#exit?.code === 137;
    if (!killed || this.#reason !== null) return null;
    if (this.#surroundings.oomKills.refresh() > this.#oomKillsBefore) return 'cgroup';
    const { memoryBytes } = this.order;
    const near = memoryBytes !== null && this.#lastRssBytes >= NEAR_LIMIT * memoryBytes;
    return near ? 'sigkill_near_limit' : null;
  }

  #missingOutputs(): string[] {
    return this.order.outputFiles.filter((file) => !existsSync(resolve(this.order.cwd, file)));
  }
}
