import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const CODE_CACHE = resolve(import.meta.dirname, '../../bin/code-cache.js');

interface World {
  build: string;
  cache: string;
  /** Of the program of the build. */
  kept: string;
  write(id: string, program: string): void;
  run(directory?: string): string;
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
    kept: join(cache, 'node-20', build, 'program.cjs'),
    write(id, program) {
      writeFileSync(join(build, 'build-id'), id);
      writeFileSync(join(build, 'program.cjs'), program);
    },
    run(directory = cache) {
      const script = `require(${JSON.stringify(CODE_CACHE)}).keepCompiledCode(process.argv[1], process.argv[2]);
        require(process.argv[2] + '/program.cjs');`;
      return execFileSync(process.execPath, ['-e', script, directory, build], { encoding: 'utf8' }).trim();
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
