import { setTimeout as pause } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ServedEngine } from '../contract/engine.ts';
import type { Exchange, ExchangeResult } from '../contract/records/exchange.ts';
import type { JobStatus } from '../core/job/job-status.ts';
import { causeOf } from '../core/job/outcome.ts';
import { AttemptSample, type Waits } from './attempt-sample.ts';

/** What Prometheus reads. Labels only have values that the server itself knows beforehand. */
export class Metrics {
  readonly registry = new Registry();
  readonly requests: Histogram<'method' | 'route' | 'status'>;
  readonly eventStreams: Gauge;
  readonly #exchanges: Counter;
  readonly #claims: Counter<'kind'>;
  readonly #finished: Counter<'cause'>;
  readonly #rejected: Counter;
  readonly #running: Histogram;
  readonly #sample = new AttemptSample();

  constructor(engine: Pick<ServedEngine, 'listWorkers' | 'countJobs' | 'attemptTimes'>) {
    const registers = [this.registry];
    const workers = async () =>
      (await inTime(engine.listWorkers({ limit: 1000 }), { items: [], next: null })).items;
    collectDefaultMetrics({ register: this.registry });
    this.requests = new Histogram({
      name: 'holdfast_http_request_duration_seconds',
      help: 'Requests by route and status, and how long they took.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
      registers,
    });
    this.eventStreams = new Gauge({
      name: 'holdfast_event_streams',
      help: 'Clients that receive server-sent events.',
      registers,
    });
    this.#exchanges = new Counter({
      name: 'holdfast_exchanges_total',
      help: 'Exchanges with workers.',
      registers,
    });
    this.#claims = new Counter({
      name: 'holdfast_claims_total',
      help: 'Attempts that were handed to workers, by whether the job had been tried before.',
      labelNames: ['kind'],
      registers,
    });
    this.#finished = new Counter({
      name: 'holdfast_attempts_finished_total',
      help: 'Attempts whose end was reported, by cause; `success` has none.',
      labelNames: ['cause'],
      registers,
    });
    this.#rejected = new Counter({
      name: 'holdfast_reports_rejected_total',
      help: 'Reports that came too late, or from a worker that did not hold the attempt.',
      registers,
    });
    new Gauge({
      name: 'holdfast_workers',
      help: 'The newest thousand workers, by state; none while the database does not answer.',
      labelNames: ['state'],
      registers,
      async collect() {
        this.reset();
        for (const { state } of await workers()) this.inc({ state });
      },
    });
    new Gauge({
      name: 'holdfast_jobs',
      help: 'Jobs of workflows whose runs are open, by status; none while the database does not answer.',
      labelNames: ['status'],
      registers,
      async collect() {
        this.reset();
        const counts = await inTime<Partial<Record<JobStatus, number>>>(engine.countJobs(), {});
        for (const [status, count] of Object.entries(counts)) this.set({ status }, count);
      },
    });
    this.#running = new Histogram({
      name: 'holdfast_attempt_running_seconds',
      help: 'How long attempts ran whose end was reported.',
      buckets: LONG_BUCKETS,
      registers,
    });
    // One look for both: they are collected at the same time.
    let looking: Promise<Waits> | null = null;
    const look = () => {
      looking ??= inTime(this.#sample.take(engine), NONE).finally(() => {
        looking = null;
      });
      return looking;
    };
    new Histogram({
      name: 'holdfast_attempt_deciding_seconds',
      help: 'From the end of an attempt to its decision, with its post step and code; a sample where there are many.',
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800],
      registers,
      async collect() {
        for (const ms of (await look()).deciding_ms) this.observe(ms / 1000);
      },
    });
    new Histogram({
      name: 'holdfast_attempt_waiting_seconds',
      help: 'From when a job could run to when a worker was given it, waits before retries included; a sample where there are many.',
      buckets: LONG_BUCKETS,
      registers,
      async collect() {
        for (const ms of (await look()).waiting_ms) this.observe(ms / 1000);
      },
    });
  }

  countExchange({ finished }: Exchange, { claims, rejected }: ExchangeResult): void {
    this.#exchanges.inc();
    for (const { attempt_id, token } of claims) {
      this.#claims.inc({ kind: attempt_id > 1 ? 'retry' : 'first' });
      this.#sample.claimed(token);
    }
    const ignored = new Set(rejected);
    for (const { token, outcome, started_at_ms, finished_at_ms } of finished) {
      if (ignored.has(token)) continue;
      this.#finished.inc({ cause: causeOf(outcome) ?? 'success' });
      this.#sample.ended(token);
      if (started_at_ms !== null) this.#running.observe(Math.max(0, finished_at_ms - started_at_ms) / 1000);
    }
    this.#rejected.inc(rejected.length);
  }
}

const WITHIN_MS = 2_000;
const LONG_BUCKETS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 24 * 3600];
const NONE: Waits = { waiting_ms: [], deciding_ms: [] };

/** The other metrics are wanted most of all when the database does not answer. */
function inTime<T>(asked: Promise<T>, otherwise: T): Promise<T> {
  return Promise.race([asked.catch(() => otherwise), pause(WITHIN_MS, otherwise, { ref: false })]);
}
