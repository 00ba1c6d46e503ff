const { closeSync, fsyncSync, mkdirSync, openSync, readSync, renameSync, writeSync } = require('node:fs');
const { dirname } = require('node:path');

/** Digits of the length of the table, behind the identity of the build. */
const LENGTH_DIGITS = 8;
/** V8 copies compiled code that begins elsewhere. */
const ALIGNMENT = 8;

/**
 * A file with the sources of a build and what V8 has compiled of them: identity, length of the table, table (JSON, by the
 * names of the files), and for each its compiled code and its source. One file, because opening two for each of a hundred
 * took a tenth of the time of a command.
 */
class CodePack {
  #descriptor;
  #table;
  #start;

  constructor(descriptor, table, start) {
    this.#descriptor = descriptor;
    this.#table = table;
    this.#start = start;
  }

  get names() {
    return Object.keys(this.#table);
  }

  has(name) {
    return Object.hasOwn(this.#table, name);
  }

  /** null: the file is shorter than it says. */
  read(name) {
    const { at, compiled, source, encoding } = this.#table[name];
    const bytes = Buffer.allocUnsafeSlow(compiled + source);
    if (readSync(this.#descriptor, bytes, 0, bytes.length, this.#start + at) < bytes.length) return null;
    return { compiled: bytes.subarray(0, compiled), source: bytes.toString(encoding, compiled) };
  }
}

/** null: there is none of this build that can be read. */
exports.openPack = (path, identity) => {
  try {
    const descriptor = openSync(path, 'r');
    const head = read(descriptor, identity.length + LENGTH_DIGITS, 0);
    if (head.slice(0, identity.length) === identity) {
      const length = Number(head.slice(identity.length));
      const table = JSON.parse(read(descriptor, length, head.length));
      return new CodePack(descriptor, table, head.length + length);
    }
    closeSync(descriptor);
  } catch {}
  return null;
};

function read(descriptor, length, position) {
  const bytes = Buffer.alloc(length);
  return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, length, position));
}

/** Replaces the file at once. `entries` are names with `{ source, compiled }`. */
exports.writePack = (path, identity, entries) => {
  const table = {};
  const parts = [];
  let at = 0;
  for (const [name, { source, compiled }] of entries) {
    // One byte for each character is read faster.
    const encoding = /^[\0-\xff]*$/.test(source) ? 'latin1' : 'utf8';
    const text = Buffer.from(source, encoding);
    table[name] = { at, compiled: compiled.length, source: text.length, encoding };
    const size = compiled.length + text.length;
    const rest = Buffer.alloc(-size & (ALIGNMENT - 1));
    parts.push(compiled, text, rest);
    at += size + rest.length;
  }
  const index = Buffer.from(JSON.stringify(table), 'latin1');
  const head = Buffer.from(identity + String(index.length).padStart(LENGTH_DIGITS), 'latin1');
  replaceFile(path, Buffer.concat([head, index, ...parts]));
};

function replaceFile(path, bytes) {
  const unfinished = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const descriptor = openSync(unfinished, 'w', 0o600);
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
  // After a power cut a file that was renamed could have the size of what was written, and zeros in it.
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(unfinished, path);
}
