import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { TEMPLATES } from '../../src/cli/templates/templates.ts';
import { makeProject, runCli } from './run-cli.ts';

test.each(TEMPLATES.map(({ name, text }) => [name, text] as const))(
  'the template %s runs green as it is, and editors find its schema',
  async (name, text) => {
    const cwd = makeProject();
    await runCli(['init', '--template', name], { cwd });
    const written = readFileSync(join(cwd, 'workflow.yaml'), 'utf8');
    expect(written.split('\n')[0]).toBe('# yaml-language-server: $schema=holdfast.schema.json');
    expect(written).not.toContain('FILE');
    expect(written.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const columns = [...written.matchAll(/^# {3}.*holdfast \S.*?( {2,})\S/gm)].map(([line]) => line.length);
    expect(new Set(columns).size, written).toBe(1);
    expect(text).toContain('FILE');
    const schema = JSON.parse(readFileSync(join(cwd, 'holdfast.schema.json'), 'utf8'));
    expect(schema.$id).toBe('urn:holdfast:spec');
    const { code, stdout, stderr } = await runCli(['run', 'workflow.yaml'], { cwd });
    expect(code, stdout + stderr).toBe(0);
  },
);

test('a name that `run` would read as JSON or KDL is refused, and one with blanks can be pasted', async () => {
  const cwd = makeProject();
  const json = await runCli(['init', 'spec.json'], { cwd });
  expect(json.code).toBe(2);
  expect(json.stderr).toContain('spec.json: templates are written in YAML; name a file such as spec.yaml');
  expect(existsSync(join(cwd, 'spec.json'))).toBe(false);
  await runCli(['init', 'my spec.yaml'], { cwd });
  expect(readFileSync(join(cwd, 'my spec.yaml'), 'utf8')).toContain("holdfast run 'my spec.yaml'");
});

test('lists the templates, as the page does, and refuses others', async () => {
  const cwd = makeProject({ 'holdfast.schema.json': 'mine' });
  const names = TEMPLATES.map(({ name }) => name);
  expect((await runCli(['init', '--list', '--output', 'quiet'], { cwd })).stdout).toBe(
    `${names.join('\n')}\n`,
  );
  const section = readFileSync(resolve('docs/cli.md'), 'utf8').split('\n## ')[1]!;
  for (const { name, about } of TEMPLATES) {
    expect(section.replace(/ +/g, ' ')).toContain(`| \`${name}\` | ${about} |`);
  }
  const nowhere = await runCli(['init', 'no/a.yaml'], { cwd });
  expect(nowhere).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error: no\/a\.yaml: there is no directory no\n/),
  });
  const wrong = await runCli(['init', '--template', 'swep'], { cwd });
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('there is no template swep; did you mean "sweep"?');
  await runCli(['init'], { cwd });
  expect(readFileSync(join(cwd, 'holdfast.schema.json'), 'utf8')).toBe('mine');
});
