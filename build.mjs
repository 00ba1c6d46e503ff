import { createHash } from 'node:crypto';
import { cpSync } from 'node:fs';
import { build, watch } from 'rolldown';
import { licences } from './build-licences.mjs';
import { nativeFiles } from './build-native.mjs';

// `node build.mjs` writes dist/; with --watch, after each change; with --bench, --chaos or --fuzz, the programs that
// measure or break it, to dist/bench/, dist/chaos/ and dist/fuzz/. Why it is bundled, what is left outside, and why it is
// CommonJS: docs/adr/0021-one-bundle.md.

/** What is started by its path (src/core/package-files.ts), and what is imported. */
const PROGRAMS = {
  cli: 'src/cli/main.ts',
  launcher: 'src/worker/launcher/main.ts',
  sandbox: 'src/sandbox/main.ts',
  patterns: 'src/worker/observe/pattern-thread.ts',
  hashes: 'src/worker/observe/file-hash-thread.ts',
  submission: 'src/server/submission/main.ts',
  sdk: 'src/index.ts',
};

/** Loaded by `lazyModule`, each from a file of its own. */
const LAZY = ['@bgotink/kdl', '@bgotink/kdl/v1-compat', 'acorn', 'json5', 'liquidjs', 're2js', 'yaml'];

/** SQLite for Node versions that have none. It looks for its binaries in the directory above its own. */
const SQLITE = { 'native/sqlite': '@photostructure/sqlite' };

/** Not bundled: one binary per platform, in optional packages; and what `pg` looks for, and does without. */
const OUTSIDE = ['@koromix/', 'pg-native'];

const SDK = 'sdk.cjs';

/** The SDK as a module whose names are known without running it. */
const sdkModule = {
  name: 'sdk-module',
  generateBundle(_, bundle) {
    const names = bundle[SDK].exports.toSorted().join(', ');
    this.emitFile({ type: 'asset', fileName: 'index.js', source: `export { ${names} } from './${SDK}';\n` });
  },
};

/** Commander can start programs as commands, which is not used; every command would load what starts processes. */
const withoutPrograms = {
  name: 'without-programs',
  resolveId: (id, importer) =>
    id === 'node:child_process' && /[\\/]node_modules[\\/]commander[\\/]/.test(importer)
      ? '\0no-programs'
      : null,
  load: (id) => (id === '\0no-programs' ? 'module.exports = {};' : null),
};

/** Changes with every change of the code: bin/code-cache.js keeps compiled code by it. */
const buildId = {
  name: 'build-id',
  generateBundle(_, bundle) {
    const hash = createHash('sha256');
    for (const [name, { code }] of Object.entries(bundle))
      if (code !== undefined) hash.update(name).update(code);
    this.emitFile({ type: 'asset', fileName: 'build-id', source: hash.digest('hex').slice(0, 32) });
  },
};

/** As `lazyModule` has it: without the scope, and flat. */
const fileName = (name) => name.replace(/^@[^/]+\//, '').replaceAll('/', '-');

const options = {
  input: { ...PROGRAMS, ...SQLITE, ...Object.fromEntries(LAZY.map((name) => [fileName(name), name])) },
  platform: 'node',
  external: (id) => OUTSIDE.some((name) => id.startsWith(name)),
  // SQLite also has a default export, which is not used.
  onLog: (level, log, print) => log.code === 'MIXED_EXPORTS' || print(level, log),
  plugins: [withoutPrograms, sdkModule, buildId, licences, nativeFiles],
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'cjs',
    sourcemap: true,
    // Line numbers are enough: the code is as readable as its source.
    sourcemapExcludeSources: true,
    entryFileNames: '[name].cjs',
    // The same name in each build: a compile cache then replaces what it has.
    chunkFileNames: 'chunk-[name].cjs',
  },
};

/** In as few files as possible: DAGMan starts it for every attempt. */
const post = {
  ...options,
  input: { post: 'src/cli/post/post-program.ts' },
  plugins: [],
  output: { ...options.output, cleanDir: false, chunkFileNames: 'post-[name].cjs' },
};

const benchmarks = {
  input: 'bench/main.ts',
  platform: 'node',
  external: (id) => /^(?!bench\/)[@\w]/.test(id),
  output: { file: 'dist/bench/main.mjs', format: 'esm', codeSplitting: false },
};

const programAt = (folder) => ({
  input: `${folder}/main.ts`,
  platform: 'node',
  external: (id) => /^(?!chaos\/|fuzz\/)[@\w]/.test(id),
  output: { file: `dist/${folder}/main.mjs`, format: 'esm', codeSplitting: false },
});

if (process.argv.includes('--bench')) {
  await build(benchmarks);
} else if (process.argv.includes('--chaos')) {
  await build(programAt('chaos'));
  // Started by its path, beside the program.
  cpSync('test/postgres/postgres-guard.mjs', 'dist/chaos/postgres-guard.mjs');
} else if (process.argv.includes('--fuzz')) {
  await build(programAt('fuzz'));
} else if (process.argv.includes('--watch')) {
  watch([options, post]).on('event', ({ code, error, duration }) => {
    if (code === 'ERROR') console.error(error.message);
    if (code === 'BUNDLE_END') console.log(`built in ${duration} ms`);
  });
} else {
  await build(options);
  await build(post);
}
