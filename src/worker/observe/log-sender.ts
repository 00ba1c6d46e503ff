import { open } from 'node:fs/promises';
import type { Engine } from '../../contract/engine.ts';
import type { Claim } from '../../contract/records/exchange.ts';
import {
  LOG_STREAMS,
  LOG_TAIL_BYTES,
  type LogPart,
  type LogStream,
} from '../../contract/records/log-access.ts';
import { attemptLogs } from '../execute/spawn-order.ts';

/** How often a log that is being read is looked at. */
const FOLLOW_MS = 300;
/** As much as one request carries. */
const REQUEST_BYTES = 1024 * 1024;
const REQUEST_ATTEMPTS = 400;
/** So long may logs keep a report waiting; what is left is sent after it. */
const DELAY_MS = 2_000;
/** Logs that wait for a server that is away; older ones are given up, and stay where they are. */
const MOST_WAITING = 1_000;

/** Sends the logs of attempts to the engine: their last part when they end, and what is new while they are read. */
export class LogSender {
  readonly #engine: Engine;
  readonly #workerId: number;
  readonly #stateDir: string;
  readonly #claimOf: (token: number) => Claim | undefined;
  /** Ended, and not sent yet. */
  readonly #waiting = new Map<number, Claim>();
  /** How much of each stream that is read has been sent. */
  readonly #followed = new Map<number, Record<LogStream, number>>();
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | null = null;
  #sendingNew: Promise<void> = Promise.resolve();

  constructor(
    engine: Engine,
    workerId: number,
    stateDir: string,
    claimOf: (token: number) => Claim | undefined,
  ) {
    this.#engine = engine;
    this.#workerId = workerId;
    this.#stateDir = stateDir;
    this.#claimOf = claimOf;
  }

  /** The attempts have ended; resolves when their logs were sent, or it has taken long enough. */
  async sendLast(tokens: readonly number[]): Promise<void> {
    for (const token of tokens) {
      const claim = this.#claimOf(token);
      if (claim !== undefined) this.#waiting.set(token, claim);
      this.#followed.delete(token);
    }
    for (const token of this.#waiting.keys()) {
      if (this.#waiting.size <= MOST_WAITING) break;
      this.#waiting.delete(token);
    }
    if (this.#waiting.size === 0) return;
    this.#sending ??= this.#sendWaiting().finally(() => {
      this.#sending = null;
    });
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, DELAY_MS);
    });
    await Promise.race([this.#sending, enough]);
    clearTimeout(timer);
  }

  /** These are read, and no others. */
  follow(tokens: readonly number[]): void {
    const wanted = new Set(tokens);
    for (const token of this.#followed.keys()) if (!wanted.has(token)) this.#followed.delete(token);
    for (const token of wanted) {
      if (!this.#followed.has(token)) this.#followed.set(token, { stdout: 0, stderr: 0 });
    }
    this.#lookAgain();
  }

  stop(): void {
    this.#followed.clear();
    clearTimeout(this.#timer);
  }

  /** Requests of bounded size, one after another. What cannot be sent now waits for the next end. */
  async #sendWaiting(): Promise<void> {
    // A part that was read must not arrive after the last one.
    await this.#sendingNew;
    try {
      while (this.#waiting.size > 0) {
        const parts: LogPart[] = [];
        const tokens: number[] = [];
        let size = 0;
        for (const [token, claim] of this.#waiting) {
          for (const part of await this.#read(token, claim, { stdout: 0, stderr: 0 })) {
            parts.push(part);
            size += part.data.length;
          }
          tokens.push(token);
          if (size + 2 * LOG_TAIL_BYTES > REQUEST_BYTES || tokens.length === REQUEST_ATTEMPTS) break;
        }
        if (parts.length > 0) await this.#engine.putLogs(this.#workerId, parts);
        for (const token of tokens) this.#waiting.delete(token);
      }
    } catch {
      // The report matters more, and the files stay.
    }
  }

  #lookAgain(): void {
    if (this.#followed.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#sendingNew = this.#sendNew().finally(() => {
        this.#timer = undefined;
        this.#lookAgain();
      });
    }, FOLLOW_MS);
  }

  async #sendNew(): Promise<void> {
    for (const [token, sent] of this.#followed) {
      const claim = this.#claimOf(token);
      if (claim === undefined) continue;
      const parts = await this.#read(token, claim, sent);
      if (parts.length === 0) continue;
      try {
        await this.#engine.putLogs(this.#workerId, parts);
        for (const { stream, offset, data } of parts) sent[stream] = offset + data.length;
      } catch {
        // Read and sent again with the next look.
        break;
      }
    }
  }

  /** What there is of both streams from these offsets on, at most the last part of each. */
  async #read(token: number, claim: Claim, from: Record<LogStream, number>): Promise<LogPart[]> {
    const paths = attemptLogs(claim, this.#stateDir);
    const parts: LogPart[] = [];
    for (const stream of LOG_STREAMS) {
      // Both streams in one file: the engine knows it as stdout.
      if (stream === 'stderr' && paths.stderr === paths.stdout) continue;
      const part = await readFrom(paths[stream], from[stream]);
      if (part !== null && part.data.length > 0) parts.push({ token, stream, ...part });
    }
    return parts;
  }
}

/** null if there is no such file. */
async function readFrom(path: string, from: number): Promise<{ offset: number; data: Uint8Array } | null> {
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const offset = Math.max(Math.min(from, size), size - LOG_TAIL_BYTES, 0);
      const data = Buffer.alloc(size - offset);
      const { bytesRead } = await file.read(data, 0, data.length, offset);
      return { offset, data: data.subarray(0, bytesRead) };
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}
