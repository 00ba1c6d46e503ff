import { describe, expect, test } from 'vitest';
import type { Requirement } from '../../src/core/model/workflow-model.ts';
import {
  type Avoidance,
  eligibility,
  NO_LIMITS,
  type Situation,
  type WorkerOffer,
} from '../../src/core/placement/eligibility.ts';
import { findUnfitting, refusalOf } from '../../src/core/placement/fit.ts';
import { freeResources, takeResources } from '../../src/core/placement/resources.ts';
import type { Shortage } from '../../src/core/placement/shortage.ts';
import { modelOf } from '../spec/spec-text.ts';

const NOW = 1_000_000;

function requirement(rest: Partial<Requirement> = {}): Requirement {
  return {
    name: null,
    cpus: null,
    memory_bytes: null,
    gpus: 0,
    nodes: 1,
    resources: {},
    labels: [],
    runtime_ms: null,
    ...rest,
  };
}

function offer(rest: Partial<WorkerOffer> = {}, free: Partial<WorkerOffer['free']> = {}): WorkerOffer {
  return {
    worker_id: 3,
    site: 'north',
    labels: [],
    time_left_ms: null,
    free: { cpus: 4, memory_bytes: 1000, gpus: 1, slots: 10, default_cpus: 1, ...free },
    ...rest,
  };
}

interface Case {
  need?: Partial<Requirement>;
  avoid?: Avoidance;
  worker?: Partial<WorkerOffer>;
  free?: Partial<WorkerOffer['free']>;
  situation?: Partial<Situation>;
}

function ask({ need = {}, avoid, worker = {}, free = {}, situation = {} }: Case) {
  return eligibility({ requirement: requirement(need), avoid: avoid ?? null }, offer(worker, free), {
    now: NOW,
    bans: [],
    sites: null,
    limits: NO_LIMITS,
    others: [],
    ...situation,
  });
}

const failedThere: Avoidance = { worker_id: 3, site: null, until: NOW + 10 };
const failedAtSite: Avoidance = { worker_id: 9, site: 'north', until: NOW + 10 };
const neighbour = offer({ worker_id: 4 });
const stranger = offer({ worker_id: 5, site: 'south' });

describe('a worker can take a job', () => {
  test.each<[string, Case, number]>([
    ['that needs nothing: one CPU each', {}, 4],
    [
      'as often as its CPUs allow, whatever fractions add up to',
      { need: { cpus: 0.1 }, free: { cpus: 0.3 } },
      3,
    ],
    ['as often as its memory allows', { need: { memory_bytes: 400 } }, 2],
    ['as often as its GPUs allow', { need: { gpus: 1 } }, 1],
    ['as often as it has slots', { free: { slots: 2 } }, 2],
    ['with several nodes, if it does not count nodes', { need: { nodes: 8 } }, 4],
    ['with one node as often as it likes, if one is free', { free: { nodes: 1 } }, 4],
    ['with several nodes, if it has them', { need: { nodes: 2 }, free: { nodes: 5 } }, 2],
    ['whose every label it has', { need: { labels: ['a', 'b'] }, worker: { labels: ['b', 'c', 'a'] } }, 4],
    ['without labels, whatever labels it has', { worker: { labels: ['a'] } }, 4],
    ['that ends before it', { need: { runtime_ms: 50 }, worker: { time_left_ms: 50 } }, 4],
    ['without a runtime, as long as it has time', { worker: { time_left_ms: 1 } }, 4],
    [
      'as often as a limit of the workflow allows',
      {
        need: { resources: { licence: 2 } },
        situation: { limits: { named: new Map([['licence', 7]]), parallel: 99 } },
      },
      3,
    ],
    ['as often as max_parallel allows', { situation: { limits: { named: new Map(), parallel: 2 } } }, 2],
    [
      'at a site whose ban is over',
      {
        situation: { bans: [{ site: 'north', reason: 'x', until: NOW }] },
      },
      4,
    ],
    [
      'while another site is banned',
      { situation: { bans: [{ site: 'south', reason: 'x', until: null }] } },
      4,
    ],
    ['that failed there, if no other worker could take it', { avoid: failedThere }, 4],
    [
      'that failed there, if others are too small for it',
      {
        avoid: failedThere,
        need: { cpus: 3 },
        situation: { others: [offer({ worker_id: 4 }, { cpus: 2 })] },
      },
      1,
    ],
    [
      'that failed there, if others do not have its labels',
      {
        avoid: failedThere,
        need: { labels: ['a'] },
        worker: { labels: ['a'] },
        situation: { others: [neighbour] },
      },
      4,
    ],
    [
      'that failed there, if the others are banned',
      {
        avoid: failedThere,
        situation: { others: [stranger], bans: [{ site: 'south', reason: 'x', until: null }] },
      },
      4,
    ],
    [
      'that failed there, once it has waited long enough',
      {
        avoid: { ...failedThere, until: NOW },
        situation: { others: [neighbour] },
      },
      4,
    ],
    [
      'that failed elsewhere',
      { avoid: { ...failedThere, worker_id: 8 }, situation: { others: [neighbour] } },
      4,
    ],
    [
      'that failed at its site, if no other site could take it',
      {
        avoid: failedAtSite,
        situation: { others: [neighbour] },
      },
      4,
    ],
  ])('%s', (_, asked, count) => {
    expect(ask(asked)).toEqual({ fits: true, count });
  });
});

describe('a worker cannot take a job', () => {
  test.each<[string, Case, Shortage]>([
    ['for lack of CPUs', { need: { cpus: 5 } }, { kind: 'resource', resource: 'cpus', needed: 5, free: 4 }],
    [
      'without a requirement, for lack of a CPU',
      { free: { cpus: 0.5 } },
      {
        kind: 'resource',
        resource: 'cpus',
        needed: 1,
        free: 0.5,
      },
    ],
    [
      'for lack of memory',
      { need: { memory_bytes: 1001 } },
      {
        kind: 'resource',
        resource: 'memory_bytes',
        needed: 1001,
        free: 1000,
      },
    ],
    [
      'where more memory was handed out than there is',
      { free: { memory_bytes: -5 } },
      {
        kind: 'resource',
        resource: 'memory_bytes',
        needed: 0,
        free: 0,
      },
    ],
    ['for lack of GPUs', { need: { gpus: 2 } }, { kind: 'resource', resource: 'gpus', needed: 2, free: 1 }],
    [
      'for lack of slots',
      { free: { slots: 0 } },
      { kind: 'resource', resource: 'slots', needed: 1, free: 0 },
    ],
    [
      'for lack of nodes',
      { need: { nodes: 3 }, free: { nodes: 2 } },
      {
        kind: 'resource',
        resource: 'nodes',
        needed: 3,
        free: 2,
      },
    ],
    [
      'whose labels it does not have',
      { need: { labels: ['a', 'b'] }, worker: { labels: ['b'] } },
      {
        kind: 'labels',
        missing: ['a'],
      },
    ],
    [
      'that may take longer than it will be there',
      { need: { runtime_ms: 51 }, worker: { time_left_ms: 50 } },
      {
        kind: 'time_left',
        needed_ms: 51,
        left_ms: 50,
      },
    ],
    [
      'when its time is over',
      { worker: { time_left_ms: -1 } },
      { kind: 'time_left', needed_ms: 0, left_ms: 0 },
    ],
    [
      'where a limit of the workflow is used up',
      {
        need: { resources: { licence: 2 } },
        situation: { limits: { named: new Map([['licence', 1]]), parallel: 99 } },
      },
      { kind: 'limit', name: 'licence', needed: 2, free: 1 },
    ],
    [
      'where max_parallel jobs run',
      { situation: { limits: { named: new Map(), parallel: 0 } } },
      {
        kind: 'max_parallel',
        needed: 1,
        free: 0,
      },
    ],
    [
      'at a banned site',
      { situation: { bans: [{ site: 'north', reason: 'storage', until: NOW + 1 }] } },
      {
        kind: 'ban',
        site: 'north',
        reason: 'storage',
        until_ms: NOW + 1,
      },
    ],
    [
      'that failed there, while another worker could take it',
      {
        avoid: failedThere,
        situation: { others: [neighbour] },
      },
      { kind: 'avoided_worker', worker_id: 3, until_ms: NOW + 10 },
    ],
    [
      'that failed at its site, while another site could take it',
      {
        avoid: failedAtSite,
        situation: { others: [neighbour, stranger] },
      },
      { kind: 'avoided_site', site: 'north', until_ms: NOW + 10 },
    ],
  ])('%s', (_, asked, short) => {
    expect(ask(asked)).toEqual({ fits: false, short });
  });
});

test('a job on several nodes has them for itself; jobs on one node share it', () => {
  const free = freeResources({ cpus: 8, memory_bytes: 100, gpus: 0, nodes: 3, max_parallel: null });
  takeResources(free, requirement({ nodes: 1, cpus: 1 }));
  expect(free).toMatchObject({ cpus: 7, nodes: 3 });
  takeResources(free, requirement({ nodes: 2, cpus: 1, memory_bytes: 60 }));
  expect(free).toMatchObject({ cpus: 6, memory_bytes: 40, nodes: 1 });
});

describe('a run refuses beforehand', () => {
  const machine = { cpus: 2, memory_bytes: 1000, gpus: 0, max_parallel: null, labels: ['big'] };
  const refusal = (need: Partial<Requirement>, rest: Partial<typeof machine> = {}) =>
    refusalOf('train', requirement(need), { ...machine, ...rest });

  test('a job whose labels it does not have, and says which option adds them', () => {
    const none = refusal({ labels: ['gpu'] }, { labels: [] });
    expect(none).toMatchObject({
      code: 'LABELS_MISSING',
      message: 'job train needs the label gpu; this run has none',
      hint: 'add --label gpu',
    });
    expect(refusal({ labels: ['big', 'big mem', 'gpu'] })).toMatchObject({
      message: 'job train needs the labels big mem, gpu; this run has only big',
      hint: "add --label 'big mem' --label gpu",
    });
  });

  test('a job that no resource of this machine is enough for, but not for limits of the workflow', () => {
    expect(refusal({ cpus: 3 })).toMatchObject({
      code: 'DOES_NOT_FIT',
      message: 'job train needs 3 CPUs, but this machine offers 2 CPUs, 1000b of memory',
    });
    expect(refusal({ cpus: 2, memory_bytes: 1000, resources: { licence: 5 }, nodes: 4 })).toBeUndefined();
  });

  test('the first of the jobs of a workflow', () => {
    const model = modelOf(
      `jobs: [{name: a, command: x, labels: [big]}, {name: b, command: x, labels: [gpu]}]`,
    );
    expect(findUnfitting(model, machine)?.message).toContain('job b needs the label gpu');
    expect(findUnfitting(model, { ...machine, labels: ['big', 'gpu'] })).toBeUndefined();
  });
});
