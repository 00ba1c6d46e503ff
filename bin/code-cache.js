const { existsSync, readFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join, sep } = require('node:path');
const { Script } = require('node:vm');
const { openPack, writePack } = require('./code-pack.js');

/** A call, in double quotes as the bundler writes them; comments have types, which stand behind a brace. */
const IMPORT_CALL = /(?<!\{ ?)\bimport\((?!['){])/;

/**
 * Runs the files of the build with what was compiled of them in an earlier process, functions that it used included, from
 * one file. V8 itself rejects what another version of it has made, but of a source it compares only the length, so the
 * file begins with the identity of the build. Node's own `enableCompileCache` (22 and newer) takes a sixth more time.
 */
exports.keepCompiledCode = (directory, build) => {
  const identityFile = join(build, 'build-id');
  if (!existsSync(identityFile)) return;
  const identity = readFileSync(identityFile, 'latin1');
  const [major] = process.versions.node.split('.');
  // By the path of the build, so that a build replaces what is kept of the one before it.
  const path = join(directory, `node-${major}-${process.arch}`, `${build}.pack`);
  const loader = new Loader(build + sep, openPack(path, identity));
  Module._extensions['.cjs'] = (module, filename) => loader.load(module, filename);
  process.on('exit', () => loader.keep(path, identity));
};

class Loader {
  /** The folder of the build, with the separator. */
  #folder;
  #pack;
  /** What the pack lacks, by the names of the files. */
  #fresh = new Map();

  constructor(folder, pack) {
    this.#folder = folder;
    this.#pack = pack;
  }

  load(module, filename) {
    const isOurs = filename.startsWith(this.#folder);
    const name = isOurs ? filename.slice(this.#folder.length) : '';
    const kept = this.#pack?.has(name) ? this.#pack.read(name) : null;
    const source = kept?.source ?? this.#sourceOf(filename, isOurs);
    if (source === null) {
      module._compile(readFileSync(filename, 'utf8'), filename);
      return;
    }
    const script = new Script(source, { filename, cachedData: kept?.compiled });
    if (kept === null || script.cachedDataRejected) this.#fresh.set(name, { source, script });
    const { exports } = module;
    const run = script.runInThisContext();
    run.call(exports, exports, this.#requireOf(module), module, filename, dirname(filename));
  }

  /** As Node compiles it; null: only Node can. Others' files have no identity, and `import()` needs Node. */
  #sourceOf(filename, isOurs) {
    const source = isOurs ? readFileSync(filename, 'utf8') : null;
    return source === null || IMPORT_CALL.test(source) ? null : Module.wrap(source);
  }

  /** A cache that cannot be written is done without. */
  keep(path, identity) {
    if (this.#fresh.size === 0) return;
    const entries = new Map();
    try {
      for (const name of this.#pack?.names ?? []) {
        const kept = this.#fresh.has(name) ? null : this.#pack.read(name);
        if (kept !== null) entries.set(name, kept);
      }
      for (const [name, { source, script }] of this.#fresh) {
        entries.set(name, { source, compiled: script.createCachedData() });
      }
      writePack(path, identity, entries);
    } catch {}
  }

  #requireOf(module) {
    const { cache, extensions, main } = require;
    const resolve = (id) => Module._resolveFilename(id, module);
    const load = (id) => (this.#sibling(id, module) ?? { exports: module.require(id) }).exports;
    return Object.assign(load, { cache, extensions, main, resolve });
  }

  /** A file of the pack in the folder of the build, without a search for it; null: it is none. */
  #sibling(id, parent) {
    if (!id.startsWith('./') || dirname(parent.filename) + sep !== this.#folder) return null;
    const name = id.slice(2);
    const filename = this.#folder + name;
    const known = Module._cache[filename];
    if (known !== undefined) return known;
    if (!this.#pack?.has(name)) return null;
    const module = Object.assign(new Module(filename, parent), { filename, paths: parent.paths });
    Module._cache[filename] = module;
    try {
      this.load(module, filename);
      module.loaded = true;
    } finally {
      if (!module.loaded) delete Module._cache[filename];
    }
    return module;
  }
}
