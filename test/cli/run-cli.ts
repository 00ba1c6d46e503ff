import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runHosted } from './run-hosted.ts';
import { forServer, SERVER_MODE } from './server-mode.ts';

const BIN = fileURLToPath(new URL('../../bin/holdfast.js', import.meta.url));
const POLL_MS = 20;

export interface CliResult {
  /** null if a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  cwd: string;
  env?: Record<string, string>;
  /** What it reads from stdin; nothing by default. */
  input?: string;
}

/** A command that is under way. */
export interface RunningCli {
  /** Only once it has been started, which may have to wait for a server. */
  readonly child: ChildProcess;
  /** What it has printed so far. */
  output(): { stdout: string; stderr: string };
  ended: Promise<CliResult>;
}

const projects: string[] = [];
process.once('exit', () => {
  for (const project of projects) rmSync(project, { recursive: true, force: true });
});

/** A fresh directory with the given files, removed at the end; objects are written as JSON. */
export function makeProject(files: Record<string, string | object> = {}): string {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
  projects.push(directory);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(directory, dirname(name)), { recursive: true });
    writeFileSync(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return directory;
}

/** The environment of the program, in which no other configuration is found. */
function programEnv(cwd: string, env: Record<string, string>): Record<string, string | undefined> {
  const clean = Object.entries(process.env).filter(
    ([name]) => !/^(HOLDFAST_|DATABASE_URL|NO_COLOR|FORCE_COLOR)/.test(name),
  );
  return { ...Object.fromEntries(clean), XDG_CONFIG_HOME: join(cwd, '.no-config'), ...env };
}

/** Starts the built program, for what is about signals, streams or the end of the process too. */
export function startCli(args: string[], options: CliOptions): RunningCli {
  const printed = { stdout: '', stderr: '' };
  let child: ChildProcess | undefined;
  const start = (words: string[], { cwd, env = {}, input = '' }: CliOptions): Promise<CliResult> => {
    child = spawn(process.execPath, [BIN, ...words], {
      cwd,
      env: programEnv(cwd, env),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin!.on('error', () => {}).end(input);
    return untilEnded(child, printed);
  };
  return {
    get child() {
      if (child === undefined) throw new Error(`holdfast ${args.join(' ')} has not been started yet`);
      return child;
    },
    output: () => ({ ...printed }),
    ended: SERVER_MODE ? withServer(args, options).then((asked) => start(...asked)) : start(args, options),
  };
}

function untilEnded(child: ChildProcess, printed: { stdout: string; stderr: string }): Promise<CliResult> {
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]!.setEncoding('utf8').on('data', (text: string) => {
      printed[stream] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...printed }));
  });
}

/** The same command, for the server of its directory. */
async function withServer(args: string[], options: CliOptions): Promise<[string[], CliOptions]> {
  const { args: words, env } = await forServer(args, options.cwd);
  return [words, { ...options, env: { ...env, ...options.env } }];
}

/**
 * Runs the built program to its end, in a process that has run it before: to start it and load the program takes
 * longer than most of what it is asked for. One that reads stdin has a process of its own, as with `startCli`.
 */
export async function runCli(args: string[], options: CliOptions): Promise<CliResult> {
  if (options.input !== undefined) return startCli(args, options).ended;
  const [words, { cwd, env = {} }] = SERVER_MODE ? await withServer(args, options) : [args, options];
  return runHosted({ args: words, cwd, env: programEnv(cwd, env) });
}

/** Polls until the condition gives something other than undefined, null or false. */
export async function until<T>(
  condition: () => T | Promise<T>,
  what: string,
  deadlineMs = 60_000,
): Promise<NonNullable<T>> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== null && value !== false) return value;
    if (Date.now() > end) throw new Error(`waited ${deadlineMs} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
