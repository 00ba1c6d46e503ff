import { rmSync } from 'node:fs';
import type { Engine } from '../../src/contract/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { startServer } from '../../src/server/start-server.ts';
import { placeEmptyDatabase } from '../engine/empty-database.ts';

/** Every command is run against a server for its directory. */
export const SERVER_MODE = process.env.HOLDFAST_TEST_MODE === 'server';

interface ProjectServer {
  url: string;
  engine: Engine;
  stop: () => Promise<void>;
}

const servers = new Map<string, Promise<ProjectServer>>();

function serverOf(directory: string): Promise<ProjectServer> {
  let server = servers.get(directory);
  if (server === undefined) {
    server = start(directory);
    servers.set(directory, server);
  }
  return server;
}

/** Where what is run in the directory is stored: with a server beside it, as it would be elsewhere. */
export function stateOf(directory: string): string {
  return SERVER_MODE ? `${directory}.server` : `${directory}/.holdfast`;
}

async function start(directory: string): Promise<ProjectServer> {
  const dir = stateOf(directory);
  await placeEmptyDatabase(dir);
  const engine = await openEngine({ dir, create: false });
  const server = await startServer(engine, { host: '127.0.0.1', port: 0, auth: 'none', version: 'test' });
  return {
    url: server.url,
    engine,
    stop: async () => {
      await server.stop();
      await engine.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export async function stopServers(): Promise<void> {
  const running = [...servers.values()];
  servers.clear();
  await Promise.all(running.map(async (server) => (await server).stop()));
}

/** The same command with the server of the directory: its arguments, and what its environment has besides. */
export async function forServer(
  args: string[],
  directory: string,
): Promise<{ args: string[]; env: Record<string, string> }> {
  const { url, engine } = await serverOf(directory);
  const env = { HOLDFAST_SERVER: url };
  return (await drives(engine, args)) ? { args: [...args, '--with-worker'], env } : { args, env };
}

/** Whether it would run jobs in its own process if there were no server. */
async function drives(engine: Engine, [command, target, ...more]: string[]): Promise<boolean> {
  if (command === 'watch') return more.concat(target ?? '').includes('--recover');
  if (command !== 'run') return false;
  if (!/^\d+$/.test(target!)) return true;
  const status = await engine.status(Number(target)).catch(() => null);
  return status?.workers.length === 0;
}
