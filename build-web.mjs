import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

// `node build-web.mjs` writes dist/web/. What was built from the same files before is copied: tests build often, and pages
// change rarely.

const CACHE = 'node_modules/.cache/holdfast-web';
const OUTPUT = 'dist/web';
/** All that the bundle depends on: the pages, what they import of the program, the packages, and how it is built. */
const INPUTS = ['web', 'src/contract', 'src/core', 'src/views'];
const SINGLE = ['package-lock.json', 'vite.config.mjs', 'build-web.mjs', 'build-licences.mjs'];

/** Smaller files gain nothing. */
const WORTH_COMPRESSING = 1024;

function filesIn(directory) {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile());
}

function hashOfInputs() {
  const hash = createHash('sha256');
  for (const path of [...INPUTS.flatMap(filesIn).toSorted(), ...SINGLE]) {
    hash.update(`${path}\0`).update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex').slice(0, 32);
}

const cached = join(CACHE, hashOfInputs());
if (!existsSync(cached)) {
  const { build } = await import('vite');
  await build({ logLevel: 'warn' });
  for (const path of filesIn(OUTPUT)) {
    const plain = readFileSync(path);
    if (/\.(?:html|js|css|svg)$/.test(path) && plain.length >= WORTH_COMPRESSING) {
      writeFileSync(`${path}.gz`, gzipSync(plain, { level: 9 }));
    }
  }
  rmSync(CACHE, { recursive: true, force: true });
  cpSync(OUTPUT, `${cached}.part`, { recursive: true });
  // Named at the end: a build that was interrupted leaves nothing that would be taken for one.
  renameSync(`${cached}.part`, cached);
} else {
  cpSync(cached, OUTPUT, { recursive: true });
}
