import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { WriteStream } from 'node:tty';
import type { Engine, ServedEngine } from '../core/engine.ts';
import type { CommandContext, ServerAccess } from './command-context.ts';
import { readConfigFile } from './config/config-file.ts';
import { readTokenFile } from './config/read-token-file.ts';
import { resolveSettings, type SettingOrigin, type SettingSources } from './config/resolve-settings.ts';
import type { Settings } from './config/settings.ts';
import { jsonRenderer } from './output/json-renderer.ts';
import { quietRenderer } from './output/quiet-renderer.ts';
import type { Renderer } from './output/renderer.ts';
import { createPaint, type Paint } from './output/styled-line.ts';
import { tableRenderer } from './output/table-renderer.ts';

const DEFAULT_DIR = '.holdfast';

export interface OpenContext extends CommandContext {
  close(): Promise<void>;
}

/** What nobody who is started from here is to inherit: jobs are other people's programs. */
const OWN_SECRETS = ['HOLDFAST_TOKEN', 'HOLDFAST_DATABASE_URL'];

/** Settles configuration and output for one command. `dir` is the flag, undefined if it was not given. */
export async function openContext(
  dir: string | undefined,
  flags: SettingSources['flags'],
): Promise<OpenContext> {
  const { stdout, stderr } = process;
  const env = { ...process.env };
  for (const name of OWN_SECRETS) delete process.env[name];
  const given = dir ?? (env.HOLDFAST_DIR || undefined);
  const stateDir = resolve(given ?? DEFAULT_DIR);
  const files = [
    await readConfigFile(join(stateDir, 'config.yaml')),
    await readConfigFile(join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'holdfast', 'config.yaml')),
  ];
  const { settings, origins } = resolveSettings({ flags, env, files });
  const paint = createPaint(hasColor(settings.color, stdout));
  const engines: Engine[] = [];
  // Read when it is asked for: most commands that need no server must not fail for want of its token.
  let access: ServerAccess | null | undefined;
  const server = (): ServerAccess | null => {
    if (access === undefined) access = serverAccess(settings, origins);
    return access;
  };
  const openLocal = async (create: boolean, leaseMs?: number): Promise<ServedEngine> => {
    const { openEngine } = await import('../engine/open-engine.ts');
    const databaseUrl = settings.database_url;
    return openEngine({
      dir: stateDir,
      create,
      ...(databaseUrl !== null && { databaseUrl }),
      ...(leaseMs !== undefined && { leaseMs }),
    });
  };
  const kept = <E extends Engine>(engine: E): E => {
    engines.push(engine);
    return engine;
  };

  return {
    stateDir,
    settings,
    origins,
    stdout,
    stderr,
    render: rendererFor(settings.output, stdout, paint),
    paint,
    errorPaint: createPaint(hasColor(settings.color, stderr)),
    print(text) {
      if (text !== '') stdout.write(`${text}\n`);
    },
    narrate(line) {
      stderr.write(`${line}\n`);
    },
    command(...words) {
      const given = [
        ['--dir', dir],
        ['--server', flags.server],
        ['--token-file', flags.token_file],
      ].flatMap(([flag, value]) => (value === undefined ? [] : [flag!, value]));
      return ['holdfast', ...words, ...given].map((word) => shellWord(String(word))).join(' ');
    },
    get server() {
      return server();
    },
    async openEngine({ create } = { create: false }) {
      const address = server();
      if (address === null) return kept(await openLocal(create));
      const { HttpEngine } = await import('../client/http-engine.ts');
      return kept(new HttpEngine(address));
    },
    async openServedEngine({ leaseMs } = {}) {
      return kept(await openLocal(true, leaseMs));
    },
    async close() {
      for (const engine of engines) await engine.close();
    },
  };
}

function serverAccess(settings: Settings, origins: SettingOrigin[]): ServerAccess | null {
  const { server, token, token_file: file } = settings;
  if (server === null) return null;
  const isFlag = origins.some(({ key, origin }) => key === 'token_file' && origin === 'flag');
  return { url: server, token: file !== null && (isFlag || token === null) ? readTokenFile(file) : token };
}

function rendererFor(output: Settings['output'], stdout: WriteStream, paint: Paint): Renderer {
  if (output === 'json') return jsonRenderer;
  if (output === 'quiet') return quietRenderer;
  // Asked when something is printed: a run may end hours later, in a window of another size.
  return tableRenderer({
    get width() {
      return stdout.isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY;
    },
    get now() {
      return Date.now();
    },
    paint,
    cwd: process.cwd(),
  });
}

function hasColor(color: Settings['color'], stream: WriteStream): boolean {
  return color === 'always' || (color === 'auto' && stream.isTTY === true && process.env.TERM !== 'dumb');
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
