import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { outcome } from '../../src/core/job/outcome.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { countedEngine } from '../../src/server/counted-engine.ts';
import { Metrics } from '../../src/server/metrics.ts';
import { PLENTY, WorkerHand, worldOf } from '../engine/engine-world.ts';
import { simpleModel } from '../engine/simple-model.ts';

interface Panel {
  title: string;
  targets: { expr: string }[];
}

const DASHBOARD = readFileSync(join(import.meta.dirname, '../../docs/grafana-dashboard.json'), 'utf8');

test('metrics have jobs by status, and how long attempts waited, ran and were decided', async () => {
  const world = await worldOf(simpleModel([{ name: 'a' }, { name: 'b', after: ['a'] }]));
  const engine = await openEngine({ dir: world.dir, create: false, clock: () => world.clock.now });
  try {
    const metrics = new Metrics(engine);
    // As the worker of `serve --with-worker` does: in process, past HTTP.
    const counted = countedEngine(engine, metrics);
    const embedded = Object.create(world, { engine: { value: counted } }) as typeof world;
    const { id } = await world.remoteWorker();
    const worker = new WorkerHand(embedded, id);
    world.clock.now += 7_000;
    const [a] = await worker.claim({ slots: 1 });
    await worker.exchange({ started: [a!] });
    const startedAt = world.clock.now;
    world.clock.now += 40_000;
    await worker.exchange({ finished: [{ claim: a!, outcome: outcome({ exit_code: 0 }), startedAt }] });
    world.clock.now += 3_000;
    await worker.exchange({ capacity: { ...PLENTY, slots: 1 } });
    const text = await metrics.registry.metrics();
    expect(lineOf(text, 'holdfast_jobs{status="completed"}')).toBe(1);
    expect(lineOf(text, 'holdfast_jobs{status="pending"}')).toBe(1);
    expect(lineOf(text, 'holdfast_jobs{status="pending_failed"}')).toBe(0);
    expect(lineOf(text, 'holdfast_claims_total{kind="first"}')).toBe(2);
    expect(lineOf(text, 'holdfast_attempts_finished_total{cause="success"}')).toBe(1);
    expect(lineOf(text, 'holdfast_attempt_running_seconds_sum')).toBe(40);
    expect(lineOf(text, 'holdfast_attempt_waiting_seconds_count')).toBe(2);
    expect(lineOf(text, 'holdfast_attempt_deciding_seconds_count')).toBe(1);
    expect(lineOf(text, 'holdfast_attempt_deciding_seconds_sum')).toBe(0);
    // The first one waited 7 s, the second one 3 s after the first had ended.
    expect(lineOf(text, 'holdfast_attempt_waiting_seconds_sum')).toBe(10);
    // What was observed is not observed again.
    expect(lineOf(await metrics.registry.metrics(), 'holdfast_attempt_waiting_seconds_count')).toBe(2);
  } finally {
    await engine.close();
  }
});

test('the dashboard for Grafana uses metrics and labels that there are, each of ours at least once', async () => {
  const { panels } = JSON.parse(DASHBOARD) as { panels: Panel[] };
  const nothing = { listWorkers: async () => ({ items: [], next: null }) };
  const metrics = new Metrics({
    ...nothing,
    countJobs: async () => ({}),
    attemptTimes: async () => [],
  } as unknown as ConstructorParameters<typeof Metrics>[0]);
  const known = await metrics.registry.getMetricsAsJSON();
  const names = new Set(
    known.flatMap(({ name, type }) =>
      String(type) === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    ),
  );
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const used = new Set(expressions.flatMap((expr) => expr.match(/\b(?:holdfast|process|nodejs)_\w+/g) ?? []));
  expect([...used].filter((name) => !names.has(name))).toEqual([]);
  const ours = known.map(({ name }) => name).filter((name) => name.startsWith('holdfast_'));
  expect(ours.filter((name) => ![...used].some((each) => each.startsWith(name)))).toEqual([]);
  for (const expr of expressions) {
    for (const [, list] of expr.matchAll(/by \(([^)]+)\)/g)) {
      const labels = list!.split(', ').filter((label) => label !== 'le');
      const [name] = expr.match(/holdfast_\w+/)!;
      const metric = metrics.registry.getSingleMetric(name.replace(/_(?:bucket|count|sum)$/, ''));
      expect((metric as unknown as { labelNames: string[] }).labelNames).toEqual(
        expect.arrayContaining(labels),
      );
    }
  }
});

function lineOf(text: string, name: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}
