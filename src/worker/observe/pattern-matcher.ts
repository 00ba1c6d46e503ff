import { Worker } from 'node:worker_threads';
import { builtFile } from '../../core/package-files.ts';
import { readCpuMs } from '../../sandbox/cpu-time.ts';
import type { PatternMessage, PatternTask } from './pattern-thread.ts';

/** CPU time that the patterns of one attempt may take together. On a busy machine it is reached later, not sooner. */
const CPU_MS = 1_000;
/** Nothing takes longer than this, even if the thread got no CPU time at all. */
const WALL_MS = 30_000;
const LOOK_MS = 100;

export interface PatternMatches {
  found: string[];
  /** Those that were not matched: the first of them for the problem, the others because of it. */
  unmatched: string[];
  problem: string;
  ms: number;
}

/**
 * Matches users' patterns (RE2) in a thread of its own, one text at a time. Their time grows with the length of the
 * text and of the pattern, which is enough to hold up a worker; so the calling thread never waits for them.
 */
export class PatternMatcher {
  #thread: PatternThread | null = null;
  #last: Promise<unknown> = Promise.resolve();

  match(patterns: string[], text: string): Promise<PatternMatches> {
    const matched = this.#last.then(() => this.#matchNow({ patterns, text }));
    this.#last = matched;
    return matched;
  }

  async stop(): Promise<void> {
    await this.#thread?.end('was not matched: the worker ends');
  }

  async #matchNow(task: PatternTask): Promise<PatternMatches> {
    const since = performance.now();
    if (this.#thread === null || this.#thread.isGone) this.#thread = new PatternThread();
    const results = await this.#thread.run(task);
    return {
      found: task.patterns.filter((_, index) => results[index] === true),
      unmatched: task.patterns.slice(results.length),
      problem: this.#thread.problem,
      ms: performance.now() - since,
    };
  }
}

/** The handle on one thread, and its watcher. */
class PatternThread {
  isGone = false;
  /** Why it ended. */
  problem = '';
  readonly #worker = new Worker(builtFile('patterns'), { env: {}, execArgv: [] });
  readonly #started: Promise<number | null>;
  #onMatched: (found: boolean) => void = () => {};
  #onGone: () => void = () => {};

  constructor() {
    this.#started = new Promise((resolve) => {
      this.#worker.on('message', (message: PatternMessage) => {
        if (message.kind === 'ready') resolve(message.threadId);
        else this.#onMatched(message.found);
      });
      const gone = (problem: string) => {
        this.isGone = true;
        this.problem ||= problem;
        resolve(null);
        this.#onGone();
      };
      this.#worker.on('error', (error) => gone(`cannot be matched: ${error.message}`));
      this.#worker.on('exit', () => gone('cannot be matched: the thread ended'));
    });
    // A listener that is added later would undo this.
    this.#worker.unref();
  }

  /** What was found out about the patterns in the time that there is, in their order. */
  async run(task: PatternTask): Promise<boolean[]> {
    this.#worker.ref();
    const threadId = await this.#started;
    const results: boolean[] = [];
    const since = performance.now();
    const begun = readCpuMs(threadId);
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const isOver = readCpuMs(threadId) - begun >= CPU_MS || performance.now() - since >= WALL_MS;
        if (isOver) void this.end('takes more than 1 s');
      }, LOOK_MS);
      const done = () => {
        clearInterval(timer);
        resolve();
      };
      this.#onGone = done;
      this.#onMatched = (found) => {
        results.push(found);
        if (results.length === task.patterns.length) done();
      };
      if (this.isGone) done();
      else this.#worker.postMessage(task);
    });
    this.#worker.unref();
    return results;
  }

  async end(problem: string): Promise<void> {
    this.isGone = true;
    this.problem ||= problem;
    await this.#worker.terminate();
  }
}
