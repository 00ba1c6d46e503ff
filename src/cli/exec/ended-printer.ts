import type { WriteStream } from 'node:tty';
import type { Engine } from '../../contract/engine.ts';
import { logReader } from '../../contract/log-reader.ts';
import { LOG_STREAMS } from '../../contract/records/log-access.ts';
import type { EventRecord } from '../../contract/records/records.ts';
import { LogPrinter } from '../logs/print-log.ts';
import { Wakeups } from '../wakeups.ts';

/** Events after which a job has ended. */
const ENDS: ReadonlySet<EventRecord['type']> = new Set(['completed', 'failure', 'cancel', 'ask', 'abort']);

interface Streams {
  stdout: WriteStream;
  stderr: WriteStream;
}

/** Prints what each job wrote when it has ended, in one piece, until it is stopped. */
export class EndedPrinter {
  readonly #engine: Engine;
  readonly #workflowId: number;
  readonly #out: Streams;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #after = 0;

  constructor(engine: Engine, workflowId: number, out: Streams) {
    this.#engine = engine;
    this.#workflowId = workflowId;
    this.#out = out;
    this.#ended = this.#print();
  }

  /** Prints what is left first. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
    await this.#look();
  }

  async #print(): Promise<void> {
    const { signal } = this.#stopping;
    const wakeups = new Wakeups(this.#engine, signal);
    try {
      while (!signal.aborted) {
        await this.#look();
        await wakeups.next();
      }
    } finally {
      wakeups.stop();
    }
  }

  async #look(): Promise<void> {
    for (;;) {
      const page = await this.#engine.listEvents(this.#workflowId, { after: this.#after, limit: 1000 });
      for (const event of page.items) {
        this.#after = event.id;
        if (ENDS.has(event.type) && event.job_id !== null && event.attempt_id !== null) {
          await this.#printOne(event.job_id, event.run_id, event.attempt_id);
        }
      }
      if (page.next === null) return;
    }
  }

  async #printOne(job_id: number, run_id: number, attempt_id: number): Promise<void> {
    for (const stream of LOG_STREAMS) {
      const read = logReader(this.#engine, this.#workflowId, { job_id, run_id, attempt_id }, stream);
      const printer = new LogPrinter(this.#out[stream], { read, onGap: () => {} });
      await printer.printNew();
      await printer.end();
    }
  }
}
