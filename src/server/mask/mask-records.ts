import type { ServedEngine } from '../../contract/engine.ts';
import { Secrets } from '../../core/text/secrets.ts';

const MOST_WORKFLOWS = 1000;

/**
 * The rule about secrets: secret values of variables in the `env` of any job of a workflow are masked in every answer
 * about that workflow, in whatever text they occur. Only workers, which run the jobs, receive them.
 */
export class RecordMask {
  readonly #engine: Pick<ServedEngine, 'environments' | 'getWorkflow'>;
  readonly #known = new Map<number, Promise<Secrets>>();

  constructor(engine: Pick<ServedEngine, 'environments' | 'getWorkflow'>) {
    this.#engine = engine;
  }

  /** What an endpoint says. Records of several workflows name the workflow that each belongs to. */
  async answer(workflowId: number | undefined, answer: unknown): Promise<unknown> {
    if (workflowId !== undefined) return this.record(workflowId, answer);
    if (Array.isArray(answer)) return Promise.all(answer.map((item) => this.answer(undefined, item)));
    if (typeof answer !== 'object' || answer === null) return answer;
    if ('items' in answer) return { ...answer, items: await this.answer(undefined, answer.items) };
    if ('workflow_id' in answer && typeof answer.workflow_id === 'number') {
      return this.record(answer.workflow_id, answer);
    }
    return answer;
  }

  async record(workflowId: number, record: unknown): Promise<unknown> {
    return maskEnvironments(await this.secretsOf(workflowId), record);
  }

  /**
   * What a workflow's jobs are given does not change once it is stored. Before that nothing may be remembered of it:
   * a client may ask for the next number too early.
   */
  secretsOf(workflowId: number): Promise<Secrets> {
    const known = this.#known.get(workflowId);
    if (known !== undefined) return known;
    const loaded = this.#load(workflowId);
    this.#known.set(workflowId, loaded);
    loaded.catch(() => this.#known.delete(workflowId));
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_WORKFLOWS && oldest !== undefined) this.#known.delete(oldest);
    return loaded;
  }

  async #load(workflowId: number): Promise<Secrets> {
    const { id } = await this.#engine.getWorkflow(workflowId);
    return new Secrets(await this.#engine.environments(id));
  }
}

/** In the configuration of a job a secret is known by its name, however short it is. */
function maskEnvironments(secrets: Secrets, record: unknown): unknown {
  const masked = secrets.data(record);
  if (typeof masked !== 'object' || masked === null) return masked;
  if ('job' in masked) return { ...masked, job: maskEnvironments(secrets, masked.job) };
  if (!('config' in masked)) return masked;
  const config = masked.config as { env: Record<string, string> };
  return { ...masked, config: { ...config, env: secrets.environment(config.env) } };
}
