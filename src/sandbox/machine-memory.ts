const PAGE = 64 * 1024;
/** All that there can be: stack and tables of QuickJS (5.5 MB), inputs, and the room for code. */
const TOTAL_BYTES = 64 * 1024 * 1024;
/** Memory once used stays with the process; one that was used above this is better thrown away. */
const REUSE_BYTES = 24 * 1024 * 1024;

const NO_MORE = new RangeError('no more memory');

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

declare const WebAssembly: { Memory: new (pages: { initial: number; maximum: number }) => WasmMemory };

export interface WasmAllocator {
  _malloc(bytes: number): number;
  _free(pointer: number): void;
}

/**
 * The memory of a machine. QuickJS built for WebAssembly does not know the sizes of its allocations, so its own limit
 * holds for each of them alone. Here the limit is the end of the memory: it cannot grow, and what is not meant for the
 * code is taken away before.
 */
export class MachineMemory {
  readonly wasm = new WebAssembly.Memory({ initial: TOTAL_BYTES / PAGE, maximum: TOTAL_BYTES / PAGE });
  /** Something has not fitted into the room. */
  isExhausted = false;
  readonly #pages: { at: number; bytes: Uint8Array }[] = [];
  #usedEnd = TOTAL_BYTES;

  constructor() {
    this.wasm.grow = () => {
      this.isExhausted = true;
      throw NO_MORE;
    };
  }

  /** From now on this is what `restore` returns to. */
  capture(allocator: WasmAllocator): void {
    const end = allocator._malloc(PAGE);
    allocator._free(end);
    const empty = Buffer.alloc(PAGE);
    for (let at = 0; at <= end; at += PAGE) {
      const page = Buffer.from(this.wasm.buffer, at, PAGE);
      if (!page.equals(empty)) this.#pages.push({ at, bytes: new Uint8Array(page) });
    }
  }

  /** Takes away all but so many bytes. If much of it was freed before and lies scattered, some more are left. */
  leaveRoom(bytes: number, allocator: WasmAllocator): void {
    const room = allocator._malloc(bytes);
    const end = room + bytes;
    const isOnTop = allocator._malloc(TOTAL_BYTES - end - PAGE) !== 0;
    allocator._free(room);
    this.#usedEnd = isOnTop ? end + PAGE : TOTAL_BYTES;
    this.isExhausted = false;
  }

  /** In about 0.7 ms; false if it is not worth it. */
  restore(): boolean {
    if (this.#usedEnd > REUSE_BYTES) return false;
    const memory = new Uint8Array(this.wasm.buffer);
    memory.fill(0, 0, this.#usedEnd);
    for (const { at, bytes } of this.#pages) memory.set(bytes, at);
    this.#usedEnd = TOTAL_BYTES;
    return true;
  }
}
