import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../bin/holdfast.js', import.meta.url));

/** A `holdfast` process that is killed, stopped and started again. */
export class HoldfastProcess {
  readonly #args: string[];
  readonly #place: { cwd: string; env: NodeJS.ProcessEnv };
  #child: ChildProcess | null = null;
  #said = '';
  #isPaused = false;
  /** Of the last one that has ended; null if a signal ended it. */
  exitCode: number | null = null;

  constructor(args: string[], place: { cwd: string; env: NodeJS.ProcessEnv }) {
    this.#args = args;
    this.#place = place;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  get isUp(): boolean {
    return this.#child !== null && !this.#isPaused;
  }

  /** Everything that all its processes have printed. */
  get output(): string {
    return this.#said;
  }

  /** Whoever comes second finds it started: two may have broken the same process. */
  start(): void {
    if (this.#child !== null) return;
    const child = spawn(process.execPath, [BIN, ...this.#args], {
      ...this.#place,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#said += text;
      });
    }
    child.once('exit', (code) => {
      this.exitCode = code;
      if (this.#child === child) this.#child = null;
    });
    this.#child = child;
    this.#isPaused = false;
  }

  pause(): void {
    this.#isPaused = true;
    this.#child?.kill('SIGSTOP');
  }

  unpause(): void {
    this.#isPaused = false;
    this.#child?.kill('SIGCONT');
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    if (this.#isPaused && signal !== 'SIGKILL') child.kill('SIGCONT');
    await exited;
  }
}
