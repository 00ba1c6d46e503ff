import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeProject, type RunningCli, startCli, until } from '../cli/run-cli.ts';

/** A directory with a server of the built program, which runs jobs by itself. */
export class ServedProject {
  readonly dir: string;
  #server: RunningCli | null = null;
  #url = '';

  readonly #env: Record<string, string>;

  constructor(files: Record<string, string | object> = {}, env: Record<string, string> = {}) {
    this.dir = makeProject(files);
    this.#env = env;
  }

  get url(): string {
    return this.#url;
  }

  /** What the server has written to its log. */
  get log(): string {
    return this.#server?.output().stderr ?? '';
  }

  /** At the same address when it is started again. */
  start(...args: string[]): Promise<string> {
    return this.startAlone('--with-worker', ...args);
  }

  /** Without a worker. */
  async startAlone(...args: string[]): Promise<string> {
    const port = this.#url === '' ? '0' : new URL(this.#url).port;
    const words = ['serve', '--port', port, '--output', 'quiet', ...args];
    const server = startCli(words, { cwd: this.dir, env: this.#env });
    this.#server = server;
    this.#url = await until(
      () => /^http:\S+\n/.exec(server.output().stdout)?.[0].trim(),
      'it listens',
      60_000,
    );
    return this.#url;
  }

  /** Ends it and returns its exit code; null if a signal did. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.#server === null) return null;
    this.#server.child.kill(signal);
    const { code } = await this.#server.ended;
    this.#server = null;
    return code;
  }

  read(name: string): string {
    return readFileSync(join(this.dir, name), 'utf8');
  }
}
