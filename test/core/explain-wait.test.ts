import { describe, expect, test } from 'vitest';
import type { Requirement } from '../../src/core/model/workflow-model.ts';
import type { Avoidance, Limits } from '../../src/core/placement/eligibility.ts';
import { explainWait, type PlacedWorker } from '../../src/core/placement/explain-wait.ts';
import { freeResources, takeResources } from '../../src/core/placement/resources.ts';

const NOW = 1_000_000;
const ENDLESS = Number.POSITIVE_INFINITY;

function requirement(rest: Partial<Requirement> = {}): Requirement {
  const none = { name: null, cpus: null, memory_bytes: null, gpus: 0, nodes: 1 };
  return { ...none, resources: {}, labels: [], runtime_ms: null, ...rest };
}

/** A worker with 8 CPUs, some of which are taken. */
function worker(id: number, rest: { labels?: string[]; taken?: number; leftMs?: number } = {}): PlacedWorker {
  const offer = () => ({
    worker_id: id,
    site: 'north',
    labels: rest.labels ?? [],
    time_left_ms: rest.leftMs ?? null,
    free: freeResources({ cpus: 8, memory_bytes: 1000, gpus: 0, max_parallel: null }),
  });
  const [free, whole] = [offer(), offer()];
  takeResources(free.free, requirement({ cpus: 1 }), rest.taken ?? 0);
  return { id, host: `host${id}`, site: 'north', free, whole };
}

function explain(
  need: Partial<Requirement>,
  workers: PlacedWorker[],
  facts: { left?: Partial<Limits>; totals?: Partial<Limits>; avoid?: Avoidance } = {},
) {
  const none: Limits = { named: new Map(), parallel: ENDLESS };
  const limits = { ...none, ...facts.left };
  const totals = { ...none, ...facts.totals };
  const asked = { requirement: requirement(need), avoid: facts.avoid ?? null };
  const reasons = explainWait(asked, workers, { now: NOW, bans: [], sites: null, limits }, totals);
  return reasons.map(({ short, worker: at, total }) => ({ ...short, at: at?.id ?? null, total }));
}

describe('a ready job waits', () => {
  test('for nothing where one of the workers can take it', () => {
    expect(explain({ cpus: 4 }, [worker(1, { taken: 8 }), worker(2)])).toEqual([]);
  });

  test('for every worker that will have room, and for none that never will', () => {
    const workers = [worker(1, { taken: 6 }), worker(2, { taken: 8 }), worker(3, { leftMs: 1 })];
    const cpus = { kind: 'resource', resource: 'cpus', needed: 4, total: 8 };
    expect(explain({ cpus: 4, runtime_ms: 50 }, workers)).toEqual([
      { ...cpus, free: 2, at: 1 },
      { ...cpus, free: 0, at: 2 },
    ]);
  });

  test('for a label that no worker has', () => {
    const workers = [worker(1), worker(2, { labels: ['big'] })];
    const labels = { kind: 'labels', at: null, total: null };
    expect(explain({ labels: ['big', 'gpu'] }, workers)).toEqual([{ ...labels, missing: ['gpu'] }]);
    const apart = [worker(1, { labels: ['gpu'] }), worker(2, { labels: ['big'] })];
    expect(explain({ labels: ['big', 'gpu'] }, apart)).toEqual([{ ...labels, missing: ['big', 'gpu'] }]);
  });

  test('for workers that have its labels, whatever the others lack', () => {
    const workers = [worker(1), worker(2, { labels: ['gpu'] })];
    expect(explain({ labels: ['gpu'], cpus: 9 }, workers)).toEqual([
      { kind: 'resource', resource: 'cpus', needed: 9, free: 8, at: 2, total: 8 },
    ]);
  });

  test('for a worker where there is none', () => {
    expect(explain({}, [])).toEqual([{ kind: 'no_worker', at: null, total: null }]);
  });

  test('for every limit that is used up, and for a worker besides', () => {
    const named = (licence: number, disk: number, tape: number) =>
      new Map(Object.entries({ licence, disk, tape }));
    const left = { named: named(0, 5, 1), parallel: 0 };
    const totals = { named: named(4, 5, 6), parallel: 3 };
    const needs = { resources: { licence: 1, disk: 2, tape: 2 } };
    const limits = [
      { kind: 'max_parallel', needed: 1, free: 0, at: null, total: 3 },
      { kind: 'limit', name: 'licence', needed: 1, free: 0, at: null, total: 4 },
      { kind: 'limit', name: 'tape', needed: 2, free: 1, at: null, total: 6 },
    ];
    expect(explain(needs, [worker(1)], { left, totals })).toEqual(limits);
    expect(explain({ ...needs, labels: ['gpu'] }, [worker(1)], { left, totals })).toEqual([
      ...limits,
      { kind: 'labels', missing: ['gpu'], at: null, total: null },
    ]);
  });

  test('for another worker than the one on which it failed', () => {
    const avoid = { worker_id: 1, site: null, until: NOW + 5 };
    expect(explain({}, [worker(1), worker(2, { taken: 8 })], { avoid })).toEqual([
      { kind: 'avoided_worker', worker_id: 1, until_ms: NOW + 5, at: 1, total: null },
      { kind: 'resource', resource: 'cpus', needed: 1, free: 0, at: 2, total: 8 },
    ]);
    expect(explain({}, [worker(1)], { avoid })).toEqual([]);
  });
});
