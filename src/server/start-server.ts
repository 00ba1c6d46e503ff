import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServedEngine } from '../core/engine.ts';
import { Connections } from './connections.ts';
import { createServer, type ServerOptions } from './create-server.ts';

export interface StartOptions extends ServerOptions {
  /** 0: any that is free. */
  port: number;
  /** How long `/readyz` fails before anything else ends, for load balancers. */
  drainMs?: number;
}

export interface RunningServer {
  /** Where to reach it. */
  url: string;
  /** Ends long answers, lets the others finish, and closes. The engine is left open. */
  stop(): Promise<void>;
}

/** How often workers whose lease is over are looked for. */
const SWEEP_MS = 3_000;
/** What does not end by itself in this time is cut off. */
const PATIENCE_MS = 10_000;
const IDLE_LOOK_MS = 50;

export async function startServer(engine: ServedEngine, options: StartOptions): Promise<RunningServer> {
  const server = createServer(engine, options);
  const { app } = server;
  const { drainMs = 0 } = options;
  const connections = new Connections(app.server);
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (error) {
    await app.close();
    throw error;
  }
  const sweeper = new Sweeper(
    engine,
    (error) => app.log.warn({ err: error }, 'cannot sweep'),
    () => server.news.look(),
  );
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    server.leave();
    if (drainMs > 0) await pause(drainMs);
    server.windDown();
    // A database that does not answer must not keep it from leaving.
    const swept = Promise.race([sweeper.stop(), pause(PATIENCE_MS, undefined, { ref: false })]);
    // Clients keep connections open for what they might ask next; each ends with the answer that it waits for.
    const idle = setInterval(() => connections.closeIdle(), IDLE_LOOK_MS);
    const impatience = setTimeout(() => app.server.closeAllConnections(), PATIENCE_MS);
    await Promise.all([app.close(), swept]);
    clearInterval(idle);
    clearTimeout(impatience);
  };
  return {
    url: urlOf(options.host, (app.server.address() as AddressInfo).port),
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

function urlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** One sweep at a time, however long it takes. */
class Sweeper {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    engine: Pick<ServedEngine, 'sweep'>,
    onProblem: (error: unknown) => void,
    afterwards: () => void,
  ) {
    const next = () => {
      if (this.stopped) return;
      this.timer = setTimeout(() => {
        this.running = engine
          .sweep()
          .then(() => afterwards(), onProblem)
          .then(next);
      }, SWEEP_MS);
    };
    next();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }
}
