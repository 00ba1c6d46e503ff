import type { WaitingJobs } from '../../core/placement/choose-takers.ts';
import type { FreeResources } from '../../core/placement/resources.ts';

/** What a worker that waits for news could take. */
export interface WorkerRoom {
  /** The only workflow that it takes jobs of; null: any. */
  workflow_id: number | null;
  /** null: it has not said. */
  free: FreeResources | null;
}

/** Where a worker is, and what it offers besides resources. */
export interface WorkerPlace {
  worker_id: number;
  site: string;
  labels: string[];
}

/** Something that concerns one worker, however full it is. */
export interface WorkerNotice {
  worker_id: number;
  /** Differs when something else concerns it. */
  words: string;
}

/** What there may be for workers. */
export interface FoundNews {
  notices: WorkerNotice[];
  /** Jobs that can start; null: they were not looked for. */
  jobs: WaitingJobs[] | null;
  /** There is something that any worker does with its next exchange, however full it is; one is enough. */
  errands: boolean;
  /** When something more becomes due; null: nothing will. */
  due_in_ms: number | null;
  /** The time of the engine. */
  at_ms: number;
}
