import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Usage } from '../../contract/records/records.ts';
import { type Outcome, outcome } from '../../core/job/outcome.ts';
import { SampleSeries, type UsageSample } from '../../core/job/usage-samples.ts';
import type { OomKills } from './kill/oom-kills.ts';
import type { ProcessInfo } from './kill/process-table.ts';
import { signalGroup, signalProcess } from './kill/signal-process.ts';
import type { EndCause, SpawnOrder } from './protocol.ts';
import type { CommandExit } from './start/start-process.ts';

type EndReason = 'timeout' | 'oom' | EndCause;

export interface AttemptSurroundings {
  oomKills: OomKills;
  /** Kills what is left of a process group. */
  killGroup(leader: number): void;
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
  readonly #signaled = new Set<number>();
  #timeout: NodeJS.Timeout | undefined;
  #grace: NodeJS.Timeout | undefined;
  /** The first reason wins. */
  #reason: EndReason | null = null;
  #killedAt: number | null = null;
  /** When it will be killed, by `performance.now`. */
  #killDue: number | null = null;
  #exit: CommandExit | null = null;
  #usage: Usage | null = null;
  #lastRssBytes = 0;
  readonly #samples: SampleSeries | null;
  readonly #began = performance.now();

  constructor(order: SpawnOrder, pid: number, startedAt: number, surroundings: AttemptSurroundings) {
    this.order = order;
    this.pid = pid;
    this.startedAt = startedAt;
    this.#surroundings = surroundings;
    this.#oomKillsBefore = surroundings.oomKills.count;
    this.#samples = order.sampleMs === null ? null : new SampleSeries(order.sampleMs);
    if (order.timeoutMs !== null) this.#armTimeout(performance.now() + order.timeoutMs);
  }

  get usage(): Usage | null {
    return this.#usage;
  }

  /** None unless the order asks for them. */
  get samples(): readonly UsageSample[] {
    return this.#samples?.samples ?? [];
  }

  /** No signal says when its last processes are gone: they have to be looked for. */
  get isEnding(): boolean {
    return this.#reason !== null && (this.#exit !== null || this.#killedAt !== null);
  }

  end(reason: EndReason, now: boolean, mostGraceMs = MAX_TIMER_MS): void {
    const first = this.#reason === null;
    this.#reason ??= reason;
    if (now) {
      this.kill();
    } else if (first) {
      // srun kills its tasks at once when it is asked to end; they are signaled themselves, by the next look.
      if (this.order.step === undefined) signalGroup(this.pid, this.order.endSignal);
      this.#kill(Math.min(this.order.graceMs, mostGraceMs));
    } else if (mostGraceMs < MAX_TIMER_MS) {
      this.#kill(mostGraceMs);
    }
    this.#surroundings.lookSoon();
  }

  /** The sooner of two such orders counts. */
  #kill(withinMs: number): void {
    const due = performance.now() + withinMs;
    if (this.#killedAt !== null || (this.#killDue ?? Number.POSITIVE_INFINITY) <= due) return;
    this.#killDue = due;
    clearTimeout(this.#grace);
    this.#grace = setTimeout(() => this.kill(), Math.min(withinMs, MAX_TIMER_MS));
  }

  /** SIGKILL to the group at once; what has left the group follows with the next look. */
  kill(): void {
    clearTimeout(this.#grace);
    this.#killedAt ??= performance.now();
    if (this.#exit === null) signalGroup(this.pid, 'SIGKILL');
    this.#surroundings.lookSoon();
  }

  exited(exit: CommandExit): void {
    this.#exit = exit;
    clearTimeout(this.#timeout);
    if (this.#reason !== null) {
      this.#surroundings.lookSoon();
      return;
    }
    this.#surroundings.killGroup(this.pid);
    this.#surroundings.over(this);
  }

  /** Called with what lives of the family, every now and then. */
  observe(family: readonly ProcessInfo[]): void {
    this.#measure(family);
    if (this.#reason === null) return;
    for (const process of family) {
      if (this.#killedAt !== null) {
        signalProcess(process.pid, 'SIGKILL');
      } else if (process.group !== this.pid && !this.#signaled.has(process.pid)) {
        this.#signaled.add(process.pid);
        signalProcess(process.pid, this.order.endSignal);
      }
    }
    if (this.#exit === null) return;
    const unkillable = this.#killedAt !== null && performance.now() - this.#killedAt > UNKILLABLE_AFTER_MS;
    if (family.length > 0 && !unkillable) return;
    clearTimeout(this.#grace);
    this.#surroundings.over(this);
  }

  outcome(): Outcome {
    const { code, signal, problem = null } = this.#exit ?? { code: null, signal: null };
    const evidence = this.#oomEvidence();
    return outcome({
      exit_code: code,
      signal,
      spawn_error: problem,
      timed_out: this.#reason === 'timeout' || this.#reason === 'out of time',
      ...(this.#reason === 'timeout' &&
        this.order.timeoutMs !== null && { time_limit_ms: this.order.timeoutMs }),
      oom: evidence !== null,
      oom_evidence: evidence,
      lost: this.#reason === 'lost',
      stopped: this.#reason === 'stopped',
      canceled: this.#reason === 'canceled',
      missing_outputs: this.#reason === null && code === 0 ? this.#missingOutputs() : [],
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
    this.#samples?.add({
      at_ms: Math.round(performance.now() - this.#began),
      rss_bytes: rss,
      cpu_ms: Math.round(cpu * 1000),
    });
    this.#usage = {
      peak_rss_bytes: Math.max(rss, this.#usage?.peak_rss_bytes ?? 0),
      cpu_seconds: Math.max(cpu, this.#usage?.cpu_seconds ?? 0),
    };
    const { memoryBytes, enforceMemory } = this.order;
    if (enforceMemory && memoryBytes !== null && rss > memoryBytes && this.#reason === null) {
      this.end('oom', false);
    }
  }

  #oomEvidence(): Outcome['oom_evidence'] {
    if (this.#reason === 'oom') return 'sampler';
    // bash survives a program that was killed, and ends with 128 + 9.
    const killed = this.#exit?.signal === 'SIGKILL' || this.#exit?.code === 137;
    if (this.#exit?.isOutOfMemory === true && this.#reason === null) return 'cgroup';
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
