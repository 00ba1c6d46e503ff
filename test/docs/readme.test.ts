import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fences, ROOT, readText } from './markdown.ts';

const readme = readText('README.md');

function command(mark: string): string {
  const blocks = fences(readme).filter(({ marks }) => marks.includes(mark));
  expect(blocks, `blocks marked ${mark}`).toHaveLength(1);
  return blocks[0]!.text.trim();
}

test('both commands of the README are one line each, and those that CI runs', () => {
  const ci = readText('.ci/run');
  expect(/^first_command='(.+)'$/m.exec(ci)?.[1]).toBe(command('first-run'));
  expect(/^test_command='(.+)'$/m.exec(ci)?.[1]).toBe(command('tests'));
});

test('the first command builds and runs an example that recovers from failures', () => {
  const copy = mkdtempSync(join(tmpdir(), 'holdfast-readme-'));
  const build = [
    'build.mjs',
    'build-licences.mjs',
    'build-native.mjs',
    'build-types.mjs',
    'build-web.mjs',
    'vite.config.mjs',
  ];
  const config = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
  for (const part of [...config, ...build, 'bin', 'src', 'web', 'examples']) {
    cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const [install, ...rest] = command('first-run').split(' && ');
  expect(install).toBe('npm install');
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', rest.join(' && ')], {
    cwd: copy,
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  expect(stdout).toContain('4 jobs recovered: simulate_2, simulate_3, simulate_4, simulate_5');
});

test('the picture shows the example of the first command and what it prints', () => {
  const picture = readText('docs/run.svg');
  const shown = [...picture.matchAll(/<text[^>]*>([^<]*)</g)].map((match) => match[1]);
  expect(readme).toContain('(docs/run.svg)');
  expect(shown).toContain('$ node bin/holdfast.js run examples/flaky-campaign.yaml');
  expect(shown).toContain('4 jobs recovered');
  expect(shown).toContain(': simulate_2, simulate_3, simulate_4, simulate_5');
});
