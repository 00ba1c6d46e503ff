import { BEAT_CPU_MS, CPU_MS } from './limits.ts';

const QUIET = -1;

/** What a thread shows its watcher while it cannot answer: a few bytes that both see. */
export class Pulse {
  readonly buffer: SharedArrayBuffer;
  readonly #beats: Int32Array;
  readonly #began: Float64Array;

  constructor(buffer = new SharedArrayBuffer(16)) {
    this.buffer = buffer;
    this.#beats = new Int32Array(buffer, 0, 1);
    this.#began = new Float64Array(buffer, 8, 1);
  }

  /** The code runs from now on; the thread has used so much CPU time before. */
  begin(cpuMs: number): void {
    this.#began[0] = cpuMs;
    Atomics.store(this.#beats, 0, 0);
  }

  beat(): void {
    if (Atomics.load(this.#beats, 0) !== QUIET) Atomics.add(this.#beats, 0, 1);
  }

  /** No code is running. */
  rest(): void {
    Atomics.store(this.#beats, 0, QUIET);
  }

  /** CPU time that the code may still use, in ms. All of it as long as it has not begun. */
  remaining(cpuMs: number): number {
    const beats = Atomics.load(this.#beats, 0);
    return beats === QUIET ? CPU_MS : CPU_MS + beats * BEAT_CPU_MS - (cpuMs - this.#began[0]!);
  }
}
