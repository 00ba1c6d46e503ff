import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Engine } from '../../src/contract/engine.ts';
import type { Exchange, ExchangeResult } from '../../src/contract/records/exchange.ts';
import { type RunEnd, RunWorker } from '../../src/worker/run-worker.ts';

export type Answer = Partial<Omit<ExchangeResult, 'next_due_at_ms'>>;

export interface World {
  dir: string;
  worker: RunWorker;
  /** Notifies the worker that something was committed elsewhere. */
  change(): void;
}

export interface ScriptedWorker {
  dir: string;
  /** What the worker reported, without the exchanges in which it had nothing to say. */
  said: Exchange[];
  end: Promise<RunEnd>;
}

/** Only what a worker asks of an engine: exchanges are answered by `answer`, which is done when it says null. */
export function workerWith(answer: (exchange: Exchange, world: World) => Answer | null): ScriptedWorker {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-worker-'));
  const said: Exchange[] = [];
  const listeners = new Set<() => void>();
  const change = () => {
    for (const listener of listeners) listener();
  };
  let complete = false;
  const engine = {
    registerWorker: async () => ({ id: 1 }),
    getWorkflow: async () => ({ id: 1, shared: false }),
    adopt: async () => ({ mode: 'drive', lost: 0 }),
    status: async () => ({ complete, exit_code: complete ? 0 : null, counts: { ready: 0 } }),
    exchange: async (_: number, exchange: Exchange): Promise<ExchangeResult> => {
      const { started, finished, errands } = exchange;
      if (finished.length + errands.length > 0) said.push(exchange);
      const answered = complete || started.length > 0 ? {} : answer(exchange, { dir, worker, change });
      complete ||= answered === null;
      return {
        claims: [],
        rejected: [],
        cancel: [],
        stop: [],
        errands: [],
        cancel_errands: [],
        at_ms: Date.now(),
        next_due_at_ms: null,
        lease_ms: 30_000,
        drain: false,
        follow: [],
        ...answered,
      };
    },
    retireWorker: async () => {},
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as Engine;
  const options = {
    workflowId: 1,
    stateDir: dir,
    cpus: 4,
    memoryBytes: 1e9,
    gpus: 0,
    maxParallel: null,
    graceMs: 1000,
    keepWork: 'failed' as const,
  };
  const worker = new RunWorker(engine, options);
  const end = worker.run();
  onTestFinished(async () => {
    worker.kill();
    await end;
    rmSync(dir, { recursive: true, force: true });
  });
  return { dir, said, end };
}
