import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const CODE_CACHE = resolve(import.meta.dirname, '../../bin/code-cache.js');

interface World {
  build: string;
  cache: string;
  /** What is kept of the build. */
  kept: string;
  write(id: string, program: string, others?: Record<string, string>): void;
  run(directory?: string, word?: string): string;
}

function world(): World {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-code-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const build = join(dir, 'dist');
  const cache = join(dir, 'cache');
  mkdirSync(build);
  return {
    build,
    cache,
    kept: join(cache, `node-${process.versions.node.split('.')[0]}-${process.arch}`, `${build}.pack`),
    write(id, program, others = {}) {
      const files = { 'build-id': id, 'program.cjs': program, ...others };
      for (const [name, text] of Object.entries(files)) writeFileSync(join(build, name), text);
    },
    run(directory = cache, word = '') {
      const script = `require(${JSON.stringify(CODE_CACHE)}).keepCompiledCode(process.argv[1], process.argv[2]);
        require(process.argv[2] + '/program.cjs');`;
      return execFileSync(process.execPath, ['-e', script, directory, build, word], {
        encoding: 'utf8',
      }).trim();
    },
  };
}

test('the next process uses what is kept of a file', () => {
  const { kept, write, run } = world();
  write('1', `function word() { return 'one'; } console.log(word());`);
  expect(run()).toBe('one');
  const { ino, mode } = statSync(kept);
  expect(mode & 0o777).toBe(0o600);
  expect(run()).toBe('one');
  // What V8 rejects is replaced.
  expect(statSync(kept).ino).toBe(ino);
});

test('a build whose file is as long as that of the build before is compiled, and replaces it', () => {
  const { kept, write, run } = world();
  write('1', `function word() { return 'one'; } console.log(word());`);
  run();
  write('2', `function word() { return 'two'; } console.log(word());`);
  expect(run()).toBe('two');
  expect(readFileSync(kept, 'latin1').startsWith('2')).toBe(true);
  expect(run()).toBe('two');
});

test('what is kept may be cut off or anything else: it is compiled again and replaced', () => {
  const { kept, write, run } = world();
  write('1', `console.log('one');`);
  run();
  const whole = readFileSync(kept);
  for (const content of ['', '1', '1 not what V8 wrote', whole.subarray(0, whole.length / 2)]) {
    writeFileSync(kept, content);
    expect(run()).toBe('one');
    expect(readFileSync(kept).length).toBe(whole.length);
  }
});

test('without a directory that can be written, or without a build, nothing is kept, and nothing fails', () => {
  const { build, cache, write, run } = world();
  write('1', `console.log('one');`);
  expect(run('/dev/null')).toBe('one');
  rmSync(join(build, 'build-id'));
  expect(run()).toBe('one');
  expect(existsSync(cache)).toBe(false);
});

test('a file has what Node gives to modules, and files of others are not kept', () => {
  const { build, cache, write, run } = world();
  const other = join(build, '../other.cjs');
  writeFileSync(other, `module.exports = 'other';`);
  write(
    '1',
    `const { basename } = require('node:path');
    console.log([this === exports, basename(__filename), basename(__dirname), require('../other.cjs')].join());
    console.log([require.resolve('../other.cjs') in require.cache, module.id === __filename].join());`,
  );
  const printed = 'true,program.cjs,dist,other\ntrue,true';
  expect(run()).toBe(printed);
  expect(run()).toBe(printed);
  expect(existsSync(join(cache, 'node-20', other))).toBe(false);
});

test('a file that calls import() is left to Node, which alone can answer that', () => {
  const { kept, write, run } = world();
  write('1', `import("node:os").then(({ EOL }) => console.log(EOL.length));`);
  expect(run()).toBe('1');
  expect(existsSync(kept)).toBe(false);
  write('2', `/** @type { import("node:os") } or {import("node:os")} */ console.log('one');`);
  expect(run()).toBe('one');
  expect(existsSync(kept)).toBe(true);
});

const PARTS = {
  'first.cjs': `exports.name = 'first'; exports.other = require('./second.cjs').name;`,
  'second.cjs': `exports.name = 'second of ' + require('./first.cjs').name + ' ' + module.parent.id.split('/').at(-1);`,
  'broken.cjs': `globalThis.tries = (globalThis.tries ?? 0) + 1; throw new Error('broken ' + globalThis.tries);`,
};

const USES_PARTS = `
  const { name, other } = require('./first.cjs');
  const fail = () => { try { require('./broken.cjs'); } catch ({ message }) { return message; } };
  const loaded = Object.keys(require.cache).map((path) => path.split('/').at(-1)).filter((name) => name.endsWith('.cjs')).join(' ');
  console.log([name, other, fail(), fail(), require('./second.cjs').name === other, loaded].join());`;

test('files of the build that require each other, or fail, do so as without a cache, and are not opened again', () => {
  const { build, kept, write, run } = world();
  write('1', USES_PARTS, PARTS);
  const printed = run('/dev/null');
  expect(printed).toBe(
    'first,second of first first.cjs,broken 1,broken 2,true,program.cjs first.cjs second.cjs',
  );
  expect(run()).toBe(printed);
  const { ino } = statSync(kept);
  for (const name of Object.keys(PARTS)) rmSync(join(build, name));
  expect(run()).toBe(printed);
  expect(statSync(kept).ino).toBe(ino);
});

test('what another command uses is kept beside what is there', () => {
  const { build, cache, write, run } = world();
  const parts = { 'a.cjs': `module.exports = 'ä—';`, 'b.cjs': `module.exports = 'é';` };
  write('1', `console.log(require('./' + process.argv[3] + '.cjs'));`, parts);
  expect(run(cache, 'a')).toBe('ä—');
  expect(run(cache, 'b')).toBe('é');
  for (const name of Object.keys(parts)) rmSync(join(build, name));
  expect([run(cache, 'a'), run(cache, 'b')]).toEqual(['ä—', 'é']);
});
