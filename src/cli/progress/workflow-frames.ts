import type { Engine } from '../../contract/engine.ts';
import type { WorkflowStatus } from '../../contract/records/records.ts';
import type { Watch } from '../../views/remaining-time.ts';
import { endedCount } from '../../views/workflow-state.ts';
import type { StyledLine } from '../terminal/styled-line.ts';
import type { FrameSource } from './live-progress.ts';
import { progressFrame, type ScreenSize } from './progress-frame.ts';

/** The progress screen of one workflow. */
export class WorkflowFrames implements FrameSource {
  readonly workflowId: number;
  readonly #engine: Pick<Engine, 'status'>;
  #status: WorkflowStatus | null = null;
  #watch: Watch | null = null;

  constructor(engine: Pick<Engine, 'status'>, workflowId: number) {
    this.#engine = engine;
    this.workflowId = workflowId;
  }

  async read(): Promise<void> {
    this.#status = await this.#engine.status(this.workflowId);
    this.#watch ??= { since: Date.now(), ended: endedCount(this.#status.counts) };
  }

  /** `hasHead`: with its name and a bar. */
  frame(size: ScreenSize, now: number, note: string | null, hasHead = true): StyledLine[] {
    return progressFrame(this.#status!, size, now, { note, watch: this.#watch, hasHead });
  }
}
