import type { AddressInfo } from 'node:net';
import type { ServedEngine } from '../contract/engine.ts';
import { Connections, DEFAULT_CONNECTION_LIMITS } from './connections.ts';
import { createServer, type ServerOptions } from './create-server.ts';

/** Nobody but this machine: it has no auth. */
const LOOPBACK = '127.0.0.1';

export interface ServedPages {
  url: string;
  /** Cuts off what is being answered: pages ask again, and there is nobody to wait for. The engine is left open. */
  stop(): Promise<void>;
}

/**
 * The pages and the API of an engine beside a process that drives a run. Unlike `startServer` it looks after nothing: no
 * leases, no requests, no allocations; and it keeps no process alive.
 */
export async function startPages(
  engine: ServedEngine,
  { port, ...options }: Pick<ServerOptions, 'version' | 'routes' | 'submissionLimits'> & { port: number },
): Promise<ServedPages> {
  const server = createServer(engine, { ...options, host: LOOPBACK, auth: 'none' });
  const { app } = server;
  new Connections(app.server, DEFAULT_CONNECTION_LIMITS, []);
  try {
    await app.listen({ host: LOOPBACK, port });
  } catch (error) {
    await app.close();
    throw error;
  }
  app.server.unref();
  return {
    url: `http://${LOOPBACK}:${(app.server.address() as AddressInfo).port}`,
    stop: async () => {
      server.windDown();
      app.server.closeAllConnections();
      await app.close();
    },
  };
}
