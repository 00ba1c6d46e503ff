import type { Engine } from '../../contract/engine.ts';
import type { WorkflowGraph } from '../../contract/records/overview.ts';
import type { WorkflowStatus } from '../../contract/records/records.ts';
import type { Watch } from '../../views/remaining-time.ts';
import { stageProgress } from '../../views/timeline/stage-progress.ts';
import { endedCount } from '../../views/workflow-state.ts';
import type { StyledLine } from '../terminal/styled-line.ts';
import type { FrameSource } from './live-progress.ts';
import { progressFrame, type ScreenSize } from './progress-frame.ts';

const GRAPH_INTERVAL_MS = 300;
/** So many times as long as the last look took nothing is counted. */
const GRAPH_REST = 20;
const STATUS_REST = 10;

/** The progress screen of one workflow. */
export class WorkflowFrames implements FrameSource {
  readonly workflowId: number;
  readonly #engine: Pick<Engine, 'status' | 'graph'>;
  #status: WorkflowStatus | null = null;
  #graph: WorkflowGraph | null = null;
  #statusDueAt = 0;
  #graphDueAt = 0;
  #watch: Watch | null = null;

  constructor(engine: Pick<Engine, 'status' | 'graph'>, workflowId: number) {
    this.#engine = engine;
    this.workflowId = workflowId;
  }

  async read(): Promise<number | null> {
    const before = Date.now();
    if (before < this.#statusDueAt) return this.#statusDueAt - before;
    this.#status = await this.#engine.status(this.workflowId);
    this.#statusDueAt = before + (Date.now() - before) * STATUS_REST;
    const again = await this.#readGraph();
    this.#watch ??= { since: Date.now(), ended: endedCount(this.#status.counts) };
    return again;
  }

  /** Counting the jobs of a large workflow by group takes long: seldom, and never more than a small share of the time. */
  async #readGraph(): Promise<number | null> {
    const before = Date.now();
    // The stages lag behind the counts until then.
    if (before < this.#graphDueAt && !this.#status!.complete) return this.#graphDueAt - before;
    this.#graph = await this.#engine.graph(this.workflowId);
    const took = Date.now() - before;
    this.#graphDueAt = before + Math.max(GRAPH_INTERVAL_MS, took * GRAPH_REST);
    return null;
  }

  /** `hasHead`: with its name and a bar. */
  frame(size: ScreenSize, now: number, note: string | null, hasHead = true): StyledLine[] {
    const stages = this.#graph === null ? [] : stageProgress(this.#graph, this.#status!);
    return progressFrame(this.#status!, size, now, { note, watch: this.#watch, stages, hasHead });
  }
}
