import type { ServedEngine } from '../../contract/engine.ts';
import { WORKER_SECRET } from '../../contract/request-headers.ts';
import { HoldfastError } from '../../core/errors.ts';
import { isSecretOf } from '../../host/secret.ts';

const MOST_WORKERS = 10_000;
const WORKER_ID = /^[1-9]\d{0,15}$/;

/** Refuses requests for a worker that do not carry the secret of that worker. */
export class WorkerSecrets {
  readonly #engine: Pick<ServedEngine, 'workerSecretHash'>;
  /** A worker keeps its secret as long as it exists. */
  readonly #hashes = new Map<number, string>();

  constructor(engine: Pick<ServedEngine, 'workerSecretHash'>) {
    this.#engine = engine;
  }

  /** A path without a proper number is left to the check of parameters, which names the place. */
  async check(params: unknown, headers: Readonly<Record<string, unknown>>): Promise<void> {
    const { worker_id: text = '' } = params as { worker_id?: string };
    if (!WORKER_ID.test(text)) return;
    const id = Number(text);
    const hash = this.#hashes.get(id) ?? (await this.#load(id));
    const secret = headers[WORKER_SECRET];
    if (typeof secret !== 'string' || !isSecretOf(hash, secret)) {
      throw new HoldfastError('NOT_THAT_WORKER', { worker: id });
    }
  }

  async #load(id: number): Promise<string> {
    const hash = await this.#engine.workerSecretHash(id);
    if (hash === null) throw new HoldfastError('WORKER_NOT_FOUND', { id });
    const [oldest] = this.#hashes.keys();
    if (this.#hashes.size >= MOST_WORKERS && oldest !== undefined) this.#hashes.delete(oldest);
    this.#hashes.set(id, hash);
    return hash;
  }
}
