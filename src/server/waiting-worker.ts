import type { WorkerPlace, WorkerRoom } from '../contract/records/worker-news.ts';
import type { Taker } from '../core/placement/choose-takers.ts';
import type { FreeResources } from '../core/placement/resources.ts';

/** Of a worker that does not say what it has free: one job of any size. */
const NOT_SAID: FreeResources = {
  cpus: Number.POSITIVE_INFINITY,
  memory_bytes: Number.POSITIVE_INFINITY,
  gpus: Number.POSITIVE_INFINITY,
  slots: 1,
  default_cpus: 1,
};

/** A worker whose request waits for news. */
export class WaitingWorker implements Taker {
  readonly id: number;
  /** Ends the wait. */
  readonly answer: (news: boolean) => void;
  #room: WorkerRoom;
  #place: WorkerPlace | null = null;
  #key = '';

  constructor(id: number, room: WorkerRoom, answer: (news: boolean) => void) {
    this.id = id;
    this.answer = answer;
    this.#room = room;
  }

  /** Read once, when there is work for the first time while it waits. */
  set place(place: WorkerPlace) {
    this.#place = place;
    this.#key = '';
  }

  set room(room: WorkerRoom) {
    this.#room = room;
    this.#key = '';
  }

  get isPlaced(): boolean {
    return this.#place !== null;
  }

  /** Every job takes a slot, and more than no CPU. */
  get hasRoom(): boolean {
    return this.free.slots >= 1 && this.free.cpus > 0;
  }

  get key(): string {
    if (this.#key === '') this.#key = JSON.stringify([this.workflow_id, this.site, this.labels, this.free]);
    return this.#key;
  }

  get workflow_id(): number | null {
    return this.#room.workflow_id;
  }

  get site(): string {
    return this.#place?.site ?? '';
  }

  get labels(): readonly string[] {
    return this.#place?.labels ?? [];
  }

  get free(): FreeResources {
    return this.#room.free ?? NOT_SAID;
  }
}
