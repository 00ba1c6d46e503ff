import { setTimeout as pause } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Engine } from '../contract/engine.ts';
import type { Exchange, ExchangeResult } from '../contract/records/exchange.ts';
import type { WorkerRecord } from '../contract/records/records.ts';
import { causeOf } from '../core/job/outcome.ts';

/** What Prometheus reads. Labels only have values that the server itself knows beforehand. */
export class Metrics {
  readonly registry = new Registry();
  readonly requests: Histogram<'method' | 'route' | 'status'>;
  readonly eventStreams: Gauge;
  readonly #exchanges: Counter;
  readonly #claims: Counter<'kind'>;
  readonly #finished: Counter<'cause'>;
  readonly #rejected: Counter;

  constructor(engine: Pick<Engine, 'listWorkers'>) {
    const registers = [this.registry];
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
        for (const { state } of await workersInTime(engine)) this.inc({ state });
      },
    });
  }

  countExchange({ finished }: Exchange, { claims, rejected }: ExchangeResult): void {
    this.#exchanges.inc();
    for (const { attempt_id } of claims) this.#claims.inc({ kind: attempt_id > 1 ? 'retry' : 'first' });
    const ignored = new Set(rejected);
    for (const { token, outcome } of finished) {
      if (!ignored.has(token)) this.#finished.inc({ cause: causeOf(outcome) ?? 'success' });
    }
    this.#rejected.inc(rejected.length);
  }
}

const WORKERS_WITHIN_MS = 2_000;

/** The other metrics are wanted most of all when the database does not answer. */
async function workersInTime(engine: Pick<Engine, 'listWorkers'>): Promise<WorkerRecord[]> {
  const listed = engine.listWorkers({ limit: 1000 }).then(
    ({ items }) => items,
    () => [],
  );
  return Promise.race([listed, pause(WORKERS_WITHIN_MS, [], { ref: false })]);
}
