import { readFile } from 'node:fs/promises';
import { QUICKJS_WASM } from '../core/package-files.ts';

declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(compiled: object, imports: unknown): Promise<object>;
};

type Instantiate = (imports: unknown, receive: (instance: object) => void) => object;

/** QuickJS, ready to be instantiated by any thread of this process. */
export async function compileQuickJs(): Promise<object> {
  return WebAssembly.compile(await readFile(QUICKJS_WASM));
}

/** The option by which Emscripten takes code that is compiled already. */
export function instantiateCompiled(compiled: object, onError: (error: unknown) => void): Instantiate {
  return (imports, receive) => {
    WebAssembly.instantiate(compiled, imports).then(receive, onError);
    return {};
  };
}
