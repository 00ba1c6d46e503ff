import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
  /** What it reads from stdin; nothing unless told. */
  input?: string;
}

/** A command that is under way. */
export interface RunningCli {
  child: ChildProcess;
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
    writeFileSync(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return directory;
}

/** Starts the built program, with an environment in which no other configuration is found. */
export function startCli(args: string[], { cwd, env = {}, input = '' }: CliOptions): RunningCli {
  const clean = Object.entries(process.env).filter(
    ([name]) => !/^(HOLDFAST_|NO_COLOR|FORCE_COLOR)/.test(name),
  );
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd,
    env: { ...Object.fromEntries(clean), XDG_CONFIG_HOME: join(cwd, '.no-config'), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {}).end(input);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<CliResult>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, output: () => ({ stdout, stderr }), ended };
}

/** Runs the built program to its end. */
export function runCli(args: string[], options: CliOptions): Promise<CliResult> {
  return startCli(args, options).ended;
}

/** Polls until the condition gives something other than undefined, null or false. */
export async function until<T>(
  condition: () => T | Promise<T>,
  what: string,
  deadlineMs = 20_000,
): Promise<NonNullable<T>> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== null && value !== false) return value;
    if (Date.now() > end) throw new Error(`waited ${deadlineMs} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
