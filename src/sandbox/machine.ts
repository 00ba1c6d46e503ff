import {
  type EmscriptenModuleLoader,
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSEmscriptenModule,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import type { CodeKind } from '../core/job/evaluation.ts';
import { type Guest, type GuestAnswer, type GuestLimits, guest } from './guest.ts';
import { BEATS, HEAP_BYTES, RESULT_BYTES, RESULT_DEPTH, STACK_BYTES } from './limits.ts';
import { MachineMemory, type WasmAllocator } from './machine-memory.ts';
import {
  describeProblem,
  OUT_OF_STACK,
  oneLine,
  TOO_LARGE,
  TOO_MANY_STEPS,
  TOO_MUCH_INPUT,
  TOO_MUCH_MEMORY,
} from './problem.ts';
import { instantiateCompiled } from './quick-js.ts';

export interface Task {
  code: string;
  kind: CodeKind;
  /** The inputs that are there. */
  names: string[];
  /** `{ now, seed, inputs }` as JSON. */
  facts: string;
}

export type MachineAnswer = { ok: true; json: string } | { ok: false; problem: string };

/** No Date, which would show the time and the time zone, and no Promise, without which nothing is asynchronous. */
const INTRINSICS = {
  BaseObjects: true,
  Eval: true,
  StringNormalize: true,
  RegExp: true,
  JSON: true,
  Proxy: true,
  MapSet: true,
  TypedArrays: true,
};

/** What it would print before it aborts belongs to nobody's output. */
const SILENT = { print() {}, printErr() {} };

/**
 * QuickJS in WebAssembly. Every evaluation begins with the same bytes in its memory, so that nothing of one is left
 * for the next, and memory runs out for all at the same point. That is also faster than making a context.
 */
export class Machine {
  readonly #memory: MachineMemory;
  readonly #allocator: WasmAllocator;
  readonly #context: QuickJSContext;
  readonly #guest: Record<keyof Guest, QuickJSHandle>;
  readonly #onBeat: () => void;
  #beats = 0;
  #isCounting = false;
  #isBroken = false;

  static async create(compiled: object, onBeat: () => void): Promise<Machine> {
    // What the package declares are the types of its CommonJS build.
    const imported = (await import('@jitl/quickjs-wasmfile-release-sync')) as unknown;
    const { default: variant } = imported as { default: QuickJSSyncVariant };
    const memory = new MachineMemory();
    let allocator: WasmAllocator | undefined;
    const module = await newQuickJSWASMModuleFromVariant({
      ...variant,
      importModuleLoader: async () => {
        const load = (await variant.importModuleLoader()) as EmscriptenModuleLoader<QuickJSEmscriptenModule>;
        return async (options) => {
          // Where browser types are loaded, as for tests of pages, they ask for more than is used here.
          const wasmMemory = memory.wasm as never;
          return new Promise((resolve, reject) => {
            const instantiateWasm = instantiateCompiled(compiled, reject) as never;
            load({ ...options, ...SILENT, wasmMemory, instantiateWasm }).then((loaded) => {
              allocator = loaded;
              resolve(loaded);
            }, reject);
          });
        };
      },
    });
    return new Machine(module.newContext({ intrinsics: INTRINSICS }), memory, allocator!, onBeat);
  }

  private constructor(
    context: QuickJSContext,
    memory: MachineMemory,
    allocator: WasmAllocator,
    onBeat: () => void,
  ) {
    this.#context = context;
    this.#memory = memory;
    this.#allocator = allocator;
    this.#onBeat = onBeat;
    context.runtime.setMaxStackSize(STACK_BYTES);
    context.runtime.setInterruptHandler(() => this.#beat());
    const limits: GuestLimits = {
      resultLength: RESULT_BYTES,
      resultDepth: RESULT_DEPTH,
      tooLarge: TOO_LARGE,
    };
    const made = context.unwrapResult(context.evalCode(`(${guest})(${JSON.stringify(limits)})`, 'guest.js'));
    this.#guest = {
      load: context.getProp(made, 'load'),
      run: context.getProp(made, 'run'),
      describe: context.getProp(made, 'describe'),
    };
    memory.capture(allocator);
  }

  /** To be followed by `reset`. `onLoaded` is called when the inputs are in place and the code's own time begins. */
  run(task: Task, onLoaded: () => void): MachineAnswer {
    this.#beats = 0;
    try {
      const problem = this.#load(task);
      if (problem !== null) return { ok: false, problem };
      onLoaded();
      this.#beats = 0;
      this.#isCounting = true;
      return this.#answer(task);
    } catch (error) {
      // The machine itself gave up; what is in it is not to be used again.
      this.#isBroken = true;
      const problem =
        error instanceof RangeError ? OUT_OF_STACK : `broke the sandbox: ${(error as Error).message}`;
      return { ok: false, problem: oneLine(problem) };
    } finally {
      this.#isCounting = false;
    }
  }

  /** false: it cannot be used again. */
  reset(): boolean {
    return !this.#isBroken && this.#memory.restore();
  }

  #beat(): boolean {
    this.#beats += 1;
    this.#onBeat();
    return this.#isCounting && this.#beats > BEATS;
  }

  /** null, or why it did not work. */
  #load({ names, facts }: Task): string | null {
    const context = this.#context;
    const loaded = context.callFunction(this.#guest.load, context.undefined, context.newString(facts));
    if (loaded.error) return TOO_MUCH_INPUT;
    // Constants instead of properties of the global object: only their names lead to them, and those are in the code.
    context.unwrapResult(
      context.evalCode(`const { ${names.join(', ')} } = inputs; delete this.inputs;`, 'inputs.js'),
    );
    this.#memory.leaveRoom(HEAP_BYTES, this.#allocator);
    return null;
  }

  #answer({ code, kind }: Task): MachineAnswer {
    const context = this.#context;
    const compiled = this.#compile(code, kind);
    const said = compiled.error
      ? context.callFunction(this.#guest.describe, context.undefined, compiled.error)
      : context.callFunction(
          this.#guest.run,
          context.undefined,
          compiled.value,
          kind === 'expression' ? context.true : context.false,
        );
    if (this.#beats > BEATS) return { ok: false, problem: TOO_MANY_STEPS };
    // The guest catches what can be caught; without memory there may not even be an error to catch.
    const answer: GuestAnswer | null = said.error ? null : JSON.parse(context.getString(said.value));
    if (answer?.kind !== 'value' && this.#memory.isExhausted) return { ok: false, problem: TOO_MUCH_MEMORY };
    if (answer === null) return { ok: false, problem: 'threw something that cannot be described' };
    if (answer.kind !== 'value') return { ok: false, problem: describeProblem(answer, code) };
    const value = JSON.stringify(answer.value);
    return Buffer.byteLength(value) > RESULT_BYTES
      ? { ok: false, problem: TOO_LARGE }
      : { ok: true, json: value };
  }

  /**
   * A holder of the code as a method. Code is compiled between brackets of two kinds: one that ends the first kind
   * in order to continue outside of it does not compile in the second. (After the `}` of a function statement no `,` or
   * `}` can follow; after that of a method nothing else can.)
   */
  #compile(code: string, kind: CodeKind) {
    const context = this.#context;
    let asExpression = context.evalCode(`[\n${code}\n]`, 'code.js', { compileOnly: true });
    if (!asExpression.error)
      asExpression = context.evalCode(`({ code() { return (\n${code}\n) } })`, 'code.js');
    if (!asExpression.error || kind === 'expression') return asExpression;
    const asBody = context.evalCode(`function code() {\n${code}\n}`, 'code.js', { compileOnly: true });
    return asBody.error ? asBody : context.evalCode(`({ code() {\n${code}\n} })`, 'code.js');
  }
}
