import { createHash } from 'node:crypto';
import { readdirSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDirectory } from '../../host/make-directory.ts';
import type { Wake } from './wake.ts';

/** Pokes of one process are sent at most this often. */
const COALESCE_MS = 10;
/** The safety net: listeners are called this often even if no poke arrives. */
const SWEEP_MS = 5_000;
/** Longest path that a Unix socket can have on every platform. */
const MAX_SOCKET_PATH = 100;

/**
 * Announces commits to other processes on the same state directory. Each listener has a
 * socket in a common directory; a poke is a connection to each of the others.
 */
export class WakeChannel implements Wake {
  readonly #directory: string;
  readonly #ownName = `${process.pid}-${Math.random().toString(36).slice(2, 8)}.sock`;
  readonly #listeners = new Set<() => void>();
  #server: Server | undefined;
  #sweep: NodeJS.Timeout | undefined;
  #poking: NodeJS.Timeout | undefined;

  constructor(stateDir: string) {
    const beside = join(stateDir, 'wake');
    const hash = createHash('sha256').update(stateDir).digest('hex').slice(0, 16);
    const fits = join(beside, this.#ownName).length <= MAX_SOCKET_PATH;
    this.#directory = fits ? beside : join(tmpdir(), `holdfast-${hash}`);
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#open();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  /** Something was committed here: call listeners in this process now, notify other processes soon. */
  poke(): void {
    this.#notifyListeners();
    this.#poking ??= setTimeout(() => {
      this.#poking = undefined;
      this.#pokeOthers();
    }, COALESCE_MS);
    this.#poking.unref();
  }

  /** Sends a poke that still waits, then stops listening. */
  async close(): Promise<void> {
    this.#listeners.clear();
    this.#stop();
    if (this.#poking === undefined) return;
    clearTimeout(this.#poking);
    this.#poking = undefined;
    await Promise.all(this.#pokeOthers());
  }

  #notifyListeners(): void {
    for (const listener of this.#listeners) listener();
  }

  #open(): void {
    if (this.#server !== undefined) return;
    makeDirectory(this.#directory, 0o700);
    this.#server = createServer((socket) => {
      socket.on('error', () => {});
      socket.destroy();
      this.#notifyListeners();
    });
    // Without the socket the sweep still finds everything, only later.
    this.#server.on('error', () => {});
    this.#server.listen(join(this.#directory, this.#ownName));
    this.#server.unref();
    this.#sweep = setInterval(() => this.#notifyListeners(), SWEEP_MS);
    this.#sweep.unref();
  }

  #stop(): void {
    clearInterval(this.#sweep);
    this.#server?.close();
    this.#server = undefined;
  }

  #pokeOthers(): Promise<void>[] {
    let names: string[];
    try {
      names = readdirSync(this.#directory);
    } catch {
      return [];
    }
    return names
      .filter((name) => name !== this.#ownName)
      .map((name) => pokeSocket(join(this.#directory, name)));
  }
}

function pokeSocket(path: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.on('connect', () => socket.destroy());
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') removeQuietly(path);
    });
    socket.on('close', () => resolve());
    socket.unref();
  });
}

/** The listener died without removing its socket. */
function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another process was faster.
  }
}
