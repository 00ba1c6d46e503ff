import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './markdown.ts';

export interface ShellResult {
  /** null if a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** What a reader has who follows the documentation: an empty directory, and `holdfast` on PATH. */
export class ReaderShell {
  readonly directory: string;
  readonly #path: string;

  readonly #otherPath: string;

  /** `path`: where the other programs are. */
  constructor(path = process.env.PATH ?? '') {
    this.#otherPath = path;
    const base = mkdtempSync(join(tmpdir(), 'holdfast-docs-'));
    this.directory = join(base, 'project');
    this.#path = join(base, 'bin');
    mkdirSync(this.directory);
    mkdirSync(this.#path);
    const program = join(this.#path, 'holdfast');
    writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'bin/holdfast.js')}" "$@"\n`);
    chmodSync(program, 0o755);
  }

  save(file: string, text: string): void {
    writeFileSync(join(this.directory, file), text);
  }

  run(script: string): Promise<ShellResult> {
    return this.#start(script, () => {});
  }

  /** Runs one command and presses Ctrl-C when what it says on stderr matches. */
  interrupt(command: string, when: RegExp): Promise<ShellResult> {
    let pressed = false;
    return this.#start(`exec ${command.trim()}`, (child, stderr) => {
      if (pressed || !when.test(stderr)) return;
      pressed = true;
      child.kill('SIGINT');
    });
  }

  #start(script: string, onStderr: (child: ChildProcess, stderr: string) => void): Promise<ShellResult> {
    const clean = Object.entries(process.env).filter(
      ([name]) => !/^(HOLDFAST_|NO_COLOR|FORCE_COLOR)/.test(name),
    );
    const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      cwd: this.directory,
      env: {
        ...Object.fromEntries(clean),
        PATH: `${this.#path}:${this.#otherPath}`,
        XDG_CONFIG_HOME: join(this.directory, '.no-config'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      onStderr(child, stderr);
    });
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout, stderr }));
    });
  }
}
