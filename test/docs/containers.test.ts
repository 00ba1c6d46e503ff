import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { commandName, flagsOf } from '../../src/cli/completion/command-words.ts';
import { ENDPOINTS } from '../../src/contract/endpoints.ts';
import { ROOT, readText } from './markdown.ts';
import { ReaderShell } from './reader-shell.ts';

interface Service {
  image?: string;
  build?: string;
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  depends_on?: Record<string, unknown>;
  healthcheck?: { test: string[] };
}

const compose = parse(readText('compose.yaml'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};
const services = Object.entries(compose.services);
const dockerfile = readText('Dockerfile');

test.each(['server', 'worker'])('the command and the options of the %s exist', (name) => {
  const [command, ...words] = compose.services[name]!.command!;
  const entry = COMMANDS.find((each) => commandName(each) === command)!;
  const flags = flagsOf(entry);
  while (words.length > 0) {
    const flag = flags.find(({ names }) => names.includes(words[0]!));
    expect(flag, words[0]).toBeDefined();
    words.splice(0, flag!.value === null ? 1 : 2);
  }
});

test('services, volumes, variables and paths that are named exist', () => {
  for (const [name, { depends_on = {}, volumes = [], environment = {}, image, build }] of services) {
    expect(
      Object.keys(depends_on).filter((each) => !(each in compose.services)),
      name,
    ).toEqual([]);
    expect(
      volumes.map((each) => each.split(':')[0]!).filter((each) => !(each in compose.volumes)),
      name,
    ).toEqual([]);
    if (name === 'db') continue;
    expect([name, image]).toEqual([name, 'holdfast']);
    expect(Object.keys(environment).filter((each) => each !== 'DATABASE_URL')).toEqual([]);
    if (build !== undefined) expect(existsSync(join(ROOT, build, 'Dockerfile'))).toBe(true);
  }
  const asked = /http:\/\/127\.0\.0\.1:7600(\/\w+)/.exec(
    compose.services.server!.healthcheck!.test.join(' '),
  )![1];
  expect(ENDPOINTS.map(([, { path }]) => path)).toContain(asked);
});

test('the tokens are made once, and are tokens', async () => {
  const shell = new ReaderShell();
  const directory = shell.directory;
  for (const name of ['admin-token', 'worker-token']) mkdirSync(join(directory, name));
  const script = compose.services
    .tokens!.command![0]!.replaceAll('$$', '$')
    .replace('file=/', `file=${directory}/`);
  shell.save('tokens.sh', script);
  chmodSync(join(directory, 'tokens.sh'), 0o755);
  const tokens = () =>
    ['admin', 'worker'].map((role) => readFileSync(join(directory, `${role}-token/token`), 'utf8'));

  expect(await shell.run('bash -eu tokens.sh')).toMatchObject({ code: 0, stderr: '' });
  const made = tokens();
  for (const token of made) expect(token).toMatch(/^hf_\S{20,}\n$/);
  await shell.run('bash -eu tokens.sh');
  expect(tokens()).toEqual(made);
  const listed = await shell.run('holdfast token list --output json');
  expect(
    JSON.parse(listed.stdout)
      .map(({ role }: { role: string }) => role)
      .sort(),
  ).toEqual(['admin', 'worker']);
});

test('the image is built from files and scripts that exist, on a Node that is supported', () => {
  const { scripts, name, bin } = JSON.parse(readText('package.json'));
  for (const [, file] of dockerfile.matchAll(/(?<=^COPY .*)(\S+\.json|\.npmrc)/gm)) {
    expect(existsSync(join(ROOT, file!)), file).toBe(true);
  }
  for (const [, script] of dockerfile.matchAll(/npm run (\w+)/g)) expect(scripts).toHaveProperty(script!);
  expect(dockerfile).toContain(`/build/${name}-*.tgz`);
  expect(bin).toHaveProperty(/ENTRYPOINT \["(\w+)"\]/.exec(dockerfile)![1]!);
  for (const [, version] of dockerfile.matchAll(/^FROM node:(\d+)/gm))
    expect(Number(version)).toBeGreaterThanOrEqual(20);
  const mounted = services.flatMap(([, { volumes = [] }]) => volumes.map((each) => each.split(':')[1]!));
  for (const path of mounted.filter((each) => !each.startsWith('/var/')))
    expect(dockerfile).toContain(` ${path}`);
});
