import { Worker } from 'node:worker_threads';
import type { FileState } from '../../core/files/file-mark.ts';
import { builtFile } from '../../core/package-files.ts';
import { type FileFacts, unread } from '../../host/look-at-file.ts';
import type { HashTask } from './file-hash-thread.ts';

/** A file that takes longer, as on a file system that hangs, is reported without a hash. */
const LONGEST_MS = 60_000;

interface Waiting {
  task: HashTask;
  done(state: FileState): void;
}

/**
 * Reads declared files in a thread of its own, one at a time, so that neither leases nor other jobs wait for a large file
 * or a slow file system. The thread is started by the first file.
 */
export class FileHashes {
  readonly #longestMs: number;
  /** What ended attempts wait for comes before what is read ahead. */
  readonly #urgent: Waiting[] = [];
  readonly #ahead: Waiting[] = [];
  #current: Waiting | null = null;
  #thread: Worker | null = null;
  #timer: NodeJS.Timeout | undefined;
  #stopped: string | null = null;

  constructor(longestMs = LONGEST_MS) {
    this.#longestMs = longestMs;
  }

  /** Reads a file that an attempt is about to read, so that its hash is known when the attempt ends. */
  readAhead(path: string, maxBytes: number): void {
    if (this.#stopped !== null || maxBytes < 0) return;
    this.#ahead.push({ task: { path, maxBytes, seen: null }, done() {} });
    this.#next();
  }

  /** The file as it was seen (null: as it is), with its hash; one that has changed since, or cannot be read, has none. */
  read(path: string, maxBytes: number, seen: FileFacts | null): Promise<FileState> {
    if (seen !== null && isWithoutHash(seen, maxBytes)) return Promise.resolve(unread(seen, null));
    if (this.#stopped !== null) return Promise.resolve(unknown(seen, this.#stopped));
    return new Promise((done) => {
      this.#urgent.push({ task: { path, maxBytes, seen }, done });
      this.#next();
    });
  }

  /** Nothing more is read, and nobody waits any longer. */
  async stop(): Promise<void> {
    this.#stopped ??= 'it was not read: the worker ended';
    this.#ahead.length = 0;
    this.#giveUp(this.#stopped);
    for (const { task, done } of this.#urgent.splice(0)) done(unknown(task.seen, this.#stopped));
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }

  #next(): void {
    if (this.#current !== null) return;
    const next = this.#urgent.shift() ?? this.#ahead.shift();
    if (next === undefined) {
      this.#thread?.unref();
      return;
    }
    this.#current = next;
    this.#thread ??= this.#start();
    this.#thread.ref();
    this.#timer = setTimeout(
      () => this.#replace(`it was not read within ${this.#longestMs / 1000} s`),
      this.#longestMs,
    );
    this.#thread.postMessage(next.task);
  }

  #start(): Worker {
    const thread = new Worker(builtFile('hashes'), { env: {}, execArgv: [] });
    thread.on('message', (state: FileState) => {
      if (this.#thread !== thread || this.#current === null) return;
      clearTimeout(this.#timer);
      const { done } = this.#current;
      this.#current = null;
      done(state);
      this.#next();
    });
    const gone = (problem: string) => this.#thread === thread && this.#replace(problem);
    thread.on('error', (error) => gone(`it cannot be read: ${error.message}`));
    thread.on('exit', () => gone('it cannot be read: the thread ended'));
    return thread;
  }

  /** The next file gets a new thread. */
  #replace(problem: string): void {
    const thread = this.#thread;
    this.#thread = null;
    void thread?.terminate();
    this.#giveUp(problem);
    this.#next();
  }

  #giveUp(problem: string): void {
    clearTimeout(this.#timer);
    const current = this.#current;
    this.#current = null;
    current?.done(unknown(current.task.seen, problem));
  }
}

function isWithoutHash({ kind, size }: FileFacts, maxBytes: number): boolean {
  return kind !== 'directory' && (kind !== 'file' || size! > maxBytes);
}

function unknown(seen: FileFacts | null, problem: string): FileState {
  return seen === null
    ? { kind: 'other', size: null, mtime_ns: null, hash: null, problem }
    : unread(seen, problem);
}
