const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join, sep } = require('node:path');
const { Script } = require('node:vm');

/** A call, in double quotes as the bundler writes them; comments have types, which stand behind a brace. */
const IMPORT_CALL = /(?<!\{ ?)\bimport\((?!['){])/;

/**
 * What Node 22 has as `enableCompileCache`, for Node 20: the files of the build are compiled with what V8 kept of an
 * earlier process, which includes the functions that it used. V8 itself rejects what another version of it has made, but
 * of a source it compares only the length, so the identity of the build is written in front of what is kept.
 */
exports.keepCompiledCode = (directory, build) => {
  const identityFile = join(build, 'build-id');
  if (!existsSync(identityFile)) return;
  const identity = readFileSync(identityFile);
  const fresh = new Map();
  Module._extensions['.cjs'] = (module, filename) => {
    const source = readFileSync(filename, 'utf8');
    // Others' files have no identity, and `import()` works only in what Node compiles itself.
    if (!filename.startsWith(build + sep) || IMPORT_CALL.test(source))
      return module._compile(source, filename);
    // By its path, so that a build replaces what is kept of the one before it.
    const path = join(directory, 'node-20', filename);
    const cachedData = keptCode(path, identity);
    const script = new Script(Module.wrap(source), { filename, cachedData });
    if (cachedData === undefined || script.cachedDataRejected) fresh.set(path, script);
    const { exports } = module;
    const run = script.runInThisContext();
    run.call(exports, exports, requireOf(module), module, filename, dirname(filename));
  };
  process.on('exit', () => keep(fresh, identity));
};

/** undefined: nothing is kept of this build. */
function keptCode(path, identity) {
  try {
    const kept = readFileSync(path);
    return kept.subarray(0, identity.length).equals(identity) ? kept.subarray(identity.length) : undefined;
  } catch {
    return undefined;
  }
}

function requireOf(module) {
  const { cache, extensions, main } = require;
  const resolve = (id) => Module._resolveFilename(id, module);
  return Object.assign((id) => module.require(id), { cache, extensions, main, resolve });
}

/** A cache that cannot be written is done without. */
function keep(scripts, identity) {
  try {
    for (const [path, script] of scripts) {
      const unfinished = `${path}.${process.pid}`;
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(unfinished, Buffer.concat([identity, script.createCachedData()]), { mode: 0o600 });
      renameSync(unfinished, path);
    }
  } catch {}
}
