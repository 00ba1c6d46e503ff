import { setTimeout as delay } from 'node:timers/promises';
import type { PruneResult, Removal } from '../../contract/engine.ts';
import type { Store } from '../../store/store.ts';
import { removeAbandoned } from '../submit/store-workflow.ts';
import { findWorkflowFiles, measureFiles, removeFiles } from './workflow-files.ts';

/** A sweep has more to do than to wait for the removal of a large workflow. */
const SWEEP_WAITS_MS = 1_000;

/**
 * Removes what was deleted, beside everything else: files first, since they are found through the rows. A crash leaves a
 * hidden workflow, which the next process that deletes something removes, or the sweep of a server.
 */
export class Remover {
  readonly #store: Store;
  readonly #stateDir: string | null;
  #removal: Promise<void> = Promise.resolve();
  #stopped = false;
  /** The process need not finish before it ends: the next server does. */
  isLeftToOthers = false;

  constructor(store: Store, stateDir: string | null) {
    this.#store = store;
    this.#stateDir = stateDir;
  }

  /** What is deleted with it, files included. */
  async after(request: { dry_run?: boolean }, deletion: Promise<Removal>): Promise<Removal> {
    const removal = await this.#measured(await deletion);
    if (request.dry_run !== true) this.#start();
    return removal;
  }

  async afterAll(request: { dry_run?: boolean }, pruning: Promise<PruneResult>): Promise<PruneResult> {
    const { removed, kept } = await pruning;
    const measured: PruneResult['removed'] = [];
    for (const removal of removed) measured.push(await this.#measured(removal));
    if (request.dry_run !== true) this.#start();
    return { removed: measured, kept };
  }

  async sweep(): Promise<void> {
    const waiting = new AbortController();
    this.#start();
    await Promise.race([
      this.#removal,
      delay(SWEEP_WAITS_MS, undefined, { ref: false, signal: waiting.signal }).catch(() => {}),
    ]);
    waiting.abort();
  }

  async stop(): Promise<void> {
    if (this.isLeftToOthers) this.#stopped = true;
    await this.#removal;
  }

  async #measured<R extends Removal>(removal: R): Promise<R> {
    const paths = await findWorkflowFiles(this.#store, this.#stateDir, removal.workflow_id);
    return { ...removal, files: await measureFiles(paths) };
  }

  /** After what is under way: that may just have found nothing more to remove. */
  #start(): void {
    this.#removal = this.#removal.then(() => this.#removeHidden()).catch(() => {});
  }

  async #removeHidden(): Promise<void> {
    await removeAbandoned(this.#store, {
      isStopped: () => this.#stopped,
      before: async (id) => removeFiles(await findWorkflowFiles(this.#store, this.#stateDir, id)),
    });
  }
}
