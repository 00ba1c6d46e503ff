import type { Engine, ServedEngine } from '../../contract/engine.ts';
import { Secrets } from '../../core/text/secrets.ts';
import { maskBytes, remainingLength } from '../../server/mask/mask-log.ts';
import type { CommandContext } from '../command-context.ts';

/**
 * Hides secrets in everything that a bundle or a report has: those of the jobs, of the environment of this process, and of the
 * configuration. A server has masked those of the jobs already.
 */
export class BundleMask {
  readonly #secrets: Secrets;
  readonly #bytes: Buffer[];

  constructor(environments: Iterable<Readonly<Record<string, string | undefined>>>) {
    this.#secrets = new Secrets(environments);
    this.#bytes = this.#secrets.texts.map((text) => Buffer.from(text));
  }

  static async of(context: CommandContext, engine: Engine, workflowId: number): Promise<BundleMask> {
    const { token, database_url } = context.settings;
    const own = { HOLDFAST_TOKEN: token ?? '', HOLDFAST_DATABASE_URL: database_url ?? '' };
    const ofJobs = context.server === null ? await (engine as ServedEngine).environments(workflowId) : [];
    return new BundleMask([process.env, own, ...ofJobs]);
  }

  text(text: string): string {
    return this.#secrets.text(text);
  }

  /** Plain data, every text in it masked. */
  data<T>(data: T): T {
    return this.#secrets.data(data) as T;
  }

  /** Plain data; in a configuration a secret is known by its name, however short it is. */
  config<C extends { env: Record<string, string> }>(config: C): unknown {
    return this.#secrets.data({ ...config, env: this.#secrets.environment(config.env) });
  }

  /** Part of a log: what is left of a secret at its beginning is hidden too. */
  log(data: Uint8Array, isCut: boolean): Buffer {
    const masked = maskBytes(data, this.#bytes);
    if (isCut) masked.fill('*', 0, remainingLength(masked, this.#bytes));
    return masked;
  }
}
