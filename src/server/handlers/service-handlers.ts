import { setTimeout as pause } from 'node:timers/promises';
import type { ServedEngine } from '../../contract/engine.ts';
import type { serviceEndpoints } from '../../contract/operations/service-endpoints.ts';
import { docsPage } from '../../contract/pages/docs-page.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { Metrics } from '../metrics.ts';
import type { Handlers } from './handler.ts';

const DEFAULT_WAIT_MS = 20_000;

interface Parts {
  engine: ServedEngine;
  changes: ChangeFeed;
  metrics: Metrics;
  /** The server is about to stop. */
  leaving: AbortSignal;
  /** The description of the API. Building it takes a third of the start of a server, so the first reader waits for it. */
  describe: () => Record<string, unknown>;
}

export function serviceHandlers(parts: Parts): Handlers<keyof typeof serviceEndpoints> {
  const { engine, changes, metrics, leaving, describe } = parts;
  const page = docsPage();
  let description: Record<string, unknown> | undefined;
  return {
    changes: async ({ query: { since, timeout_ms }, signal }) => {
      if (since !== undefined) await changes.waitFor(since, timeout_ms ?? DEFAULT_WAIT_MS, signal);
      const { version } = changes;
      return { version, changed: version !== since };
    },
    live: () => ({ status: 'ok' }),
    ready: async () => {
      if (leaving.aborted) throw new HoldfastError('SHUTTING_DOWN');
      await Promise.race([engine.ping(), notInTime()]);
      return { status: 'ok' };
    },
    metrics: async ({ reply }) => {
      void reply.type(metrics.registry.contentType);
      return metrics.registry.metrics();
    },
    openApi: () => {
      description ??= describe();
      return description;
    },
    docs: ({ reply }) => {
      void reply.type('text/html; charset=utf-8').header('content-security-policy', page.csp);
      return page.html;
    },
  };
}

/** Whoever asks wants to know now, not when the database is back. */
const READY_WITHIN_MS = 2_000;

async function notInTime(): Promise<never> {
  await pause(READY_WITHIN_MS, undefined, { ref: false });
  throw new HoldfastError('DATABASE_UNREACHABLE', { name: 'of the server', problem: 'no answer in time' });
}
