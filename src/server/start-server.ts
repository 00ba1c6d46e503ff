import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Allocator } from '../contract/allocator.ts';
import type { ServedEngine } from '../contract/engine.ts';
import type { RunDriver } from '../contract/run-engine.ts';
import { MAX_ACTIVE_REQUESTS } from '../core/request/request-states.ts';
import { ChangeTender } from './change-tender.ts';
import { ClusterTender, type ClusterWork } from './cluster-tender.ts';
import { type ConnectionLimits, Connections, DEFAULT_CONNECTION_LIMITS } from './connections.ts';
import { createServer, type ServerOptions } from './create-server.ts';

export interface StartOptions extends ServerOptions {
  /** 0: any that is free. */
  port: number;
  /** How long `/readyz` fails before anything else ends, for load balancers. */
  drainMs?: number;
  /** How many connections may be open. */
  connections?: Partial<ConnectionLimits>;
  /** How many requests are worked on at a time (default: 20). */
  maxActiveRequests?: number;
}

export interface RunningServer {
  /** Where to reach it. */
  url: string;
  /** For a worker in this process: what it does is part of the server's metrics. */
  engine: ServedEngine;
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
  const connections = new Connections(
    app.server,
    { ...DEFAULT_CONNECTION_LIMITS, ...options.connections },
    Array.isArray(options.trustProxy) ? options.trustProxy : [],
  );
  await engine.start();
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (error) {
    await app.close();
    throw error;
  }
  const sweeper = new Sweeper(
    engine,
    (error) => app.log.warn({ err: error }, 'cannot sweep'),
    () => {
      server.news.look();
      tender.look();
      notifier.look();
    },
  );
  const mostActive = options.maxActiveRequests ?? MAX_ACTIVE_REQUESTS;
  const tender = new ChangeTender(
    engine,
    () => engine.tendRequests({ most_active: mostActive }),
    (error) => app.log.warn({ err: error }, 'cannot move requests on'),
  );
  const notifier = new ChangeTender(
    engine,
    async () => {
      await engine.sendNotifications('shared');
      return false;
    },
    (error) => app.log.warn({ err: error }, 'cannot send notifications'),
  );
  const url = urlOf(options.host, (app.server.address() as AddressInfo).port);
  const clusters = [allocationsOf(engine, options.allocator?.(url)), runsOf(engine, options.runs)].flatMap(
    (work) =>
      work === null
        ? []
        : new ClusterTender(engine, work, (error) => app.log.warn({ err: error }, work.problem)),
  );
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    server.leave();
    if (drainMs > 0) await pause(drainMs);
    server.windDown();
    // A database that does not answer must not keep it from leaving.
    const swept = Promise.race([
      Promise.all([sweeper.stop(), tender.stop(), notifier.stop(), ...clusters.map((each) => each.stop())]),
      pause(PATIENCE_MS, undefined, { ref: false }),
    ]);
    // Clients keep connections open for what they might ask next; each ends with the answer that it waits for.
    const idle = setInterval(() => connections.closeIdle(), IDLE_LOOK_MS);
    const impatience = setTimeout(() => app.server.closeAllConnections(), PATIENCE_MS);
    await Promise.all([app.close(), swept]);
    clearInterval(idle);
    clearTimeout(impatience);
  };
  return {
    engine: server.engine,
    url,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

interface NamedWork extends ClusterWork {
  /** What the log says when a pass fails. */
  problem: string;
}

function allocationsOf(engine: ServedEngine, allocator: Allocator | undefined): NamedWork | null {
  if (allocator === undefined) return null;
  return {
    tend: () => engine.tendAllocations(allocator),
    leave: () => engine.leaveAllocations(allocator),
    problem: 'cannot look after allocations',
  };
}

function runsOf(engine: ServedEngine, driver: RunDriver | undefined): NamedWork | null {
  if (driver === undefined) return null;
  return {
    tend: async () => (await engine.tendRuns(driver)).wait_ms,
    leave: () => engine.leaveRuns(driver),
    problem: 'cannot look after runs on DAGMan',
  };
}

function urlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** One sweep at a time, however long it takes. */
class Sweeper {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(
    engine: Pick<ServedEngine, 'sweep'>,
    onProblem: (error: unknown) => void,
    afterwards: () => void,
  ) {
    const next = () => {
      if (this.#stopped) return;
      this.#timer = setTimeout(() => {
        this.#running = engine
          .sweep()
          .then(() => afterwards(), onProblem)
          .then(next);
      }, SWEEP_MS);
    };
    next();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}
