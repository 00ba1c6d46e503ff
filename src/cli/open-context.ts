import { homedir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { WriteStream } from 'node:tty';
import type { Engine, ServedEngine } from '../contract/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import { TRACES } from '../core/notify/notify-model.ts';
import { shellWord } from '../core/text/shell-word.ts';
import { readVersion } from '../mcp/read-version.ts';
import type { CommandContext, ServerAccess } from './command-context.ts';
import { readConfigFile } from './config/config-file.ts';
import { type FoundState, findStateDir, stateDirIn } from './config/find-state-dir.ts';
import { hideVariables } from './config/hide-variables.ts';
import { resolveSettings, type SettingOrigin, type SettingSources } from './config/resolve-settings.ts';
import { serverAccess } from './config/server-access.ts';
import type { Settings } from './config/settings.ts';
import { secretVariables } from './config/smtp-settings.ts';
import { csvText } from './terminal/csv-text.ts';
import { createPaint } from './terminal/styled-line.ts';
import type { TextStyle } from './terminal/text-style.ts';
import { printedText } from './terminal/view.ts';
import type { ListName } from './texts/lists/list-columns.ts';

export interface OpenContext extends CommandContext {
  close(): Promise<void>;
}

/** Variables that no job may see: jobs are other people's programs. */
const OWN_SECRETS = [
  'HOLDFAST_TOKEN',
  'HOLDFAST_DATABASE_URL',
  'HOLDFAST_NOTIFY',
  'HOLDFAST_SMTP',
  'HOLDFAST_TRACES',
];

interface ContextOptions {
  /** The flag; undefined if it was not given. */
  dir: string | undefined;
  flags: SettingSources['flags'];
  /** Its state is not looked for in directories above. */
  ownState: boolean;
  /** The list that the command prints; null: it prints none. */
  list: ListName | null;
}

/** Settles configuration and output for one command. */
export async function openContext({ dir, flags, ownState, list }: ContextOptions): Promise<OpenContext> {
  const { stdout, stderr } = process;
  const env = { ...process.env };
  const exposedVariables = hideVariables(OWN_SECRETS);
  const given = dir ?? (env.HOLDFAST_DIR || undefined);
  const found = ownState ? stateDirIn(process.cwd()) : findStateDir(process.cwd(), homedir());
  const stateDir = given === undefined ? found.path : resolve(given);
  const files = [
    await readConfigFile(join(stateDir, 'config.yaml')),
    await readConfigFile(join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'holdfast', 'config.yaml')),
  ];
  const { settings, origins } = resolveSettings({ flags, env, files });
  const { notify, smtp, traces } = settings;
  exposedVariables.push(...hideVariables(secretVariables(settings)));
  const columns = settings.output === 'csv' ? await csvColumns(list, origins) : null;
  const engines: Engine[] = [];
  // Read when it is asked for: most commands that need no server must not fail for want of its token.
  let access: ServerAccess | null | undefined;
  const server = (): ServerAccess | null => {
    if (access === undefined) access = serverAccess(settings, origins);
    return access;
  };
  const sendingPlace = { smtp, traces, version: readVersion, secrets: env, env: process.env };
  const openLocal = async (create: boolean, mayUpgrade = false): Promise<ServedEngine> => {
    const { openEngine } = await import('../engine/open-engine.ts');
    const { notificationHandler } = await import('../notify/notification-handler.ts');
    const databaseUrl = settings.database_url;
    if (given === undefined && databaseUrl === null) noteAbove(found, settings, stderr);
    return openEngine({
      dir: stateDir,
      create,
      mayUpgrade,
      onUpgrade: (copy) =>
        void stderr.write(`upgraded the state for this version; as it was before: ${copy}\n`),
      siteBanDays: settings.site_ban_duration_days,
      serverErrands: [notificationHandler(notify, sendingPlace)],
      subscribers: [
        ...notify.filter(({ everywhere }) => everywhere).map(({ name, on }) => ({ name, on })),
        ...(traces === null ? [] : [TRACES]),
      ],
      ...(databaseUrl !== null && { databaseUrl }),
    });
  };
  const kept = <E extends Engine>(engine: E): E => {
    engines.push(engine);
    return engine;
  };
  const command = (...words: (string | number)[]): string => {
    const given = [
      ['--dir', dir],
      ['--server', flags.server],
      ['--token-file', flags.token_file],
    ].flatMap(([flag, value]) => (value === undefined ? [] : [flag!, value]));
    return ['holdfast', ...words, ...given].map((word) => shellWord(String(word))).join(' ');
  };
  const print = (text: string): void => {
    if (text !== '') stdout.write(`${text}\n`);
  };
  const style: TextStyle = {
    // Read when something is printed: a run may end hours later, in a window of another size.
    get width() {
      return stdout.isTTY ? stdout.columns || 80 : Number.POSITIVE_INFINITY;
    },
    get now() {
      return Date.now();
    },
    paint: createPaint(hasColor(settings.color, stdout)),
    cwd: process.cwd(),
    command,
  };

  return {
    stateDir,
    settings,
    origins,
    exposedVariables,
    sendingPlace,
    stdout,
    stderr,
    paint: style.paint,
    errorPaint: createPaint(hasColor(settings.color, stderr)),
    show(view, thing) {
      const { output } = settings;
      print(output === 'csv' ? csvText(view, thing, columns!) : printedText(view, thing, output, style));
    },
    print,
    narrate(line) {
      stderr.write(`${line}\n`);
    },
    command,
    get server() {
      return server();
    },
    async openEngine({ create } = { create: false }) {
      const address = server();
      if (address === null) return kept(await openLocal(create));
      const { HttpEngine } = await import('../client/http-engine.ts');
      return kept(new HttpEngine(address));
    },
    async openServedEngine({ create, mayUpgrade } = { create: true }) {
      return kept(await openLocal(create, mayUpgrade));
    },
    async close() {
      for (const engine of engines) await engine.close();
    },
  };
}

/** Refuses CSV before anything has happened: a command that prints no list may be one that changes something. */
async function csvColumns(list: ListName | null, origins: SettingOrigin[]): Promise<readonly string[]> {
  if (list !== null) return (await import('./texts/lists/list-columns.ts')).LIST_COLUMNS[list];
  const { origin, source } = origins.find(({ key }) => key === 'output')!;
  throw new HoldfastError('INVALID_ARGUMENT', {
    argument: origin === 'flag' ? '--output csv' : source!,
    problem: `${origin === 'flag' ? 'is' : 'csv is'} for lists, and this command prints none; use --output table, json or quiet`,
  });
}

function hasColor(color: Settings['color'], stream: WriteStream): boolean {
  return color === 'always' || (color === 'auto' && stream.isTTY === true && process.env.TERM !== 'dumb');
}

/** People see that what they do belongs to a project around this directory. */
function noteAbove({ path, isAbove }: FoundState, { output }: Settings, stderr: WriteStream): void {
  if (!isAbove || output === 'quiet') return;
  stderr.write(`using the state in ${relative(process.cwd(), path)}; --dir .holdfast makes one here\n`);
}
