import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDirectory } from '../../host/make-directory.ts';
import { isProcessAlive, type ProcessIdentity, processIdentity } from '../../host/process-identity.ts';

/** More than enough: the system hands out a port that nobody listens on, and few of those are booked. */
const TRIES = 100;

/**
 * Books network ports for attempts. A free port alone would not do: until the program listens on it, another
 * attempt could be given the same. A file per port, common to all workers of the host, is the booking; those
 * of dead workers do not count.
 */
export class PortBook {
  readonly #directory: string;
  readonly #booked = new Map<number, number[]>();

  constructor(directory = join(tmpdir(), 'holdfast-ports')) {
    this.#directory = directory;
  }

  /** One port for each name. */
  async take(token: number, names: string[]): Promise<Record<string, number>> {
    makeDirectory(this.#directory);
    const ports: Record<string, number> = {};
    for (const name of names) {
      const port = await this.#book();
      this.#booked.set(token, [...(this.#booked.get(token) ?? []), port]);
      ports[name] = port;
    }
    return ports;
  }

  release(token: number): void {
    for (const port of this.#booked.get(token) ?? []) rmSync(this.#fileOf(port), { force: true });
    this.#booked.delete(token);
  }

  async #book(): Promise<number> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const port = await freePort();
      if (this.#write(port)) return port;
    }
    throw new Error(`no port could be booked in ${this.#directory}`);
  }

  #write(port: number): boolean {
    const file = this.#fileOf(port);
    try {
      const descriptor = openSync(file, 'wx');
      writeSync(descriptor, JSON.stringify(processIdentity()));
      closeSync(descriptor);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      // Removed here and booked by whoever comes next: two that find it at once must not both get it.
      if (isAbandoned(file)) rmSync(file, { force: true });
      return false;
    }
  }

  #fileOf(port: number): string {
    return join(this.#directory, String(port));
  }
}

function isAbandoned(file: string): boolean {
  try {
    const text = readFileSync(file, 'utf8');
    return text !== '' && isProcessAlive(JSON.parse(text) as ProcessIdentity) === false;
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve((address as { port: number }).port));
    });
  });
}
