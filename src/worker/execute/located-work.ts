import { resolve } from 'node:path';
import type { ErrandOrder } from '../../contract/records/errand.ts';

/** Makes paths of workflows absolute, as they are seen from where the worker was started. */
export class LocatedWork {
  readonly #baseDir: string | undefined;

  /** Not needed where paths are absolute. */
  constructor(baseDir: string | undefined) {
    this.#baseDir = baseDir;
  }

  work<T extends { cwd: string; output_dir: string }>(work: T): T {
    if (this.#baseDir === undefined) return work;
    return { ...work, cwd: this.#resolve(work.cwd), output_dir: this.#resolve(work.output_dir) };
  }

  errand(order: ErrandOrder): ErrandOrder {
    if (order.kind === 'action' || order.kind === 'outputs') return this.work(order);
    if (order.kind === 'post' && order.left !== undefined) {
      return { ...order, left: this.work(order.left) };
    }
    if (order.kind !== 'evaluation' || order.logs === undefined) return order;
    const { stdout, stderr } = order.logs;
    return { ...order, logs: { stdout: this.#resolve(stdout), stderr: this.#resolve(stderr) } };
  }

  #resolve(path: string): string {
    return this.#baseDir === undefined ? path : resolve(this.#baseDir, path);
  }
}
