import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../src/contract/engine.ts';
import type { ExchangeResult } from '../src/contract/records/exchange.ts';
import { WORKER_SECRET } from '../src/contract/request-headers.ts';
import { outcome } from '../src/core/job/outcome.ts';
import { ownIdentity } from '../src/host/process-identity.ts';

const SLOTS = 20;
const CAPACITY = JSON.stringify({
  cpus: SLOTS,
  memory_bytes: 2 ** 34,
  gpus: 0,
  slots: SLOTS,
  default_cpus: 1,
});
const SUCCESS = JSON.stringify(outcome({ exit_code: 0 }));

/** Connections that stay open, one for each worker, as workers of their own processes would have them. */
const agent = new Agent({ keepAlive: true });

/**
 * Sends what a worker with twenty slots sends, numbered and with its time, and runs nothing. It uses plain HTTP and texts
 * that are mostly prepared: a hundred of them share the machine with the server that is measured.
 */
export class SimulatedWorker {
  /** How long each exchange took. */
  readonly exchangeMs: number[] = [];
  readonly #url: string;
  readonly #headers: Record<string, string>;
  #seq = 0;
  #held: number[] = [];

  private constructor(url: string, secret: string) {
    this.#url = url;
    this.#headers = { 'content-type': 'application/json', [WORKER_SECRET]: secret };
  }

  static async register(engine: Engine, url: string): Promise<SimulatedWorker> {
    const identity = ownIdentity({ kind: 'service', cpus: SLOTS, memory_bytes: 2 ** 34 });
    const { id, secret } = await engine.registerWorker(identity);
    return new SimulatedWorker(`${url}/api/v1/workers/${id}/exchange`, secret);
  }

  /** Until there is nothing more to do, or it is asked to end. Returns how many jobs it has completed. */
  async work(isOver: () => boolean, jobMs = 0): Promise<number> {
    let done = 0;
    for (;;) {
      const finished = this.#held;
      const body = this.#exchange(finished, isOver() ? 'null' : CAPACITY, jobMs);
      const begun = performance.now();
      const { claims, rejected } = JSON.parse(await this.#post(body)) as ExchangeResult;
      this.exchangeMs.push(performance.now() - begun);
      if (rejected.length > 0) throw new Error(`reports were rejected: ${rejected.join(', ')}`);
      done += finished.length;
      this.#held = claims.map(({ token }) => token);
      if (claims.length === 0) return done;
      if (jobMs > 0) await sleep(jobMs);
    }
  }

  /** That all of them have succeeded just now. */
  #exchange(finished: readonly number[], capacity: string, jobMs: number): string {
    const now = Date.now();
    const times = `"started_at_ms":${now - jobMs},"finished_at_ms":${now}`;
    const reports = finished.map((token) => `{"token":${token},${times},"outcome":${SUCCESS},"usage":null}`);
    this.#seq += 1;
    const head = `"seq":${this.#seq},"sent_at_ms":${now},"started":[],"errands":[]`;
    return `{${head},"finished":[${reports.join(',')}],"capacity":${capacity}}`;
  }

  #post(body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { ...this.#headers, 'content-length': Buffer.byteLength(body) };
      const sent = request(this.#url, { method: 'POST', agent, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(parts).toString();
          if (answer.statusCode === 200) resolve(text);
          else reject(new Error(`${this.#url} answered with ${answer.statusCode}: ${text}`));
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}
