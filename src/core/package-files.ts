/** The directory of this package: this file is somewhere in its `src/` or bundled into its `dist/`. */
const ROOT = /^.*\/(?=(?:src|dist)\/)/.exec(import.meta.url)![0];

/** Whether it is the build that runs, and not the source. */
export const isBuilt = !import.meta.url.endsWith('.ts');

/** A file of the build by its name in build.mjs, also for the source: plain Node cannot run that. */
export function builtFile(name: string): URL {
  return new URL(`dist/${name}.cjs`, ROOT);
}

/** The machine in which the code of specs runs. */
export const QUICKJS_WASM = new URL('dist/emscripten-module.wasm', ROOT);

/** The command line. */
export const CLI_PROGRAM = new URL('bin/holdfast.js', ROOT);

/** The script by which a shell completes commands. */
export function completionScript(shell: string): URL {
  return new URL(`bin/completion/holdfast.${shell}`, ROOT);
}

/** The web application as it was built. */
export const WEB_DIRECTORY = new URL('dist/web/', ROOT);

/** `docs` or `examples`, as they are shipped. */
export function packageDirectory(name: string): URL {
  return new URL(`${name}/`, ROOT);
}

export const PACKAGE_JSON = new URL('package.json', ROOT);
