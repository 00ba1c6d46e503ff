const { existsSync, lstatSync, mkdirSync } = require('node:fs');
const { homedir } = require('node:os');
const { isAbsolute, join } = require('node:path');
const { keepCompiledCode } = require('./code-cache.js');

/**
 * Keeps compiled code for the next start. It runs whatever is found there, so it is kept in a directory which belongs to
 * this user and which nobody else can write to, or nowhere. A start without a cache is only slower.
 */
exports.useCompileCache = () => {
  const directory = cacheDirectory(process.env, process.getuid?.());
  if (directory !== null) keepCompiledCode(directory, join(__dirname, '../dist'));
};

/** null: there is none that can be trusted. */
function cacheDirectory(env, uid) {
  try {
    const given = env.XDG_CACHE_HOME;
    const base = given && isAbsolute(given) ? given : join(homedir(), '.cache');
    const directory = join(base, 'holdfast');
    // Not recursive: a home that is not there is not made, and services can have one that is not.
    for (const each of [base, directory]) if (!existsSync(each)) mkdirSync(each, { mode: 0o700 });
    const found = lstatSync(directory);
    const isOwn = uid === undefined || (found.uid === uid && (found.mode & 0o022) === 0);
    return found.isDirectory() && isOwn ? directory : null;
  } catch {
    return null;
  }
}
exports.cacheDirectory = cacheDirectory;
