import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { WriteStream } from 'node:tty';
import type { Engine } from '../core/engine.ts';
import type { CommandContext } from './command-context.ts';
import { readConfigFile } from './config/config-file.ts';
import { resolveSettings, type SettingSources } from './config/resolve-settings.ts';
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

/** Settles configuration and output for one command. `dir` is the flag, undefined if it was not given. */
export async function openContext(
  dir: string | undefined,
  flags: SettingSources['flags'],
): Promise<OpenContext> {
  const { env, stdout, stderr } = process;
  const given = dir ?? (env.HOLDFAST_DIR || undefined);
  const stateDir = resolve(given ?? DEFAULT_DIR);
  const files = [
    await readConfigFile(join(stateDir, 'config.yaml')),
    await readConfigFile(join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'holdfast', 'config.yaml')),
  ];
  const { settings, origins } = resolveSettings({ flags, env, files });
  const paint = createPaint(hasColor(settings.color, stdout));
  const engines: Engine[] = [];

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
      const place = dir === undefined ? [] : ['--dir', dir];
      return ['holdfast', ...words, ...place].map((word) => shellWord(String(word))).join(' ');
    },
    async openEngine({ create } = { create: false }) {
      const { openEngine } = await import('../engine/open-engine.ts');
      const engine = await openEngine({ dir: stateDir, create });
      engines.push(engine);
      return engine;
    },
    async close() {
      for (const engine of engines) await engine.close();
    },
  };
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
