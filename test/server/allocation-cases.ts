import type { EndpointId } from '../../src/contract/endpoints.ts';
import { DEFAULT_ALLOCATION_WORKER, type SchedulerModel } from '../../src/core/allocation/scheduler.ts';
import { type EndpointCase, get, post, put } from './endpoint-case.ts';
import type { Scene } from './scene.ts';

const GPU: SchedulerModel = {
  name: 'gpu',
  options: { account: 'lab', time: '1:00:00' },
  extra: [],
  nodes: 1,
  walltime_ms: 3_600_000,
  cpus: 4,
  memory_bytes: null,
  gpus: 1,
  serialize: false,
  worker: DEFAULT_ALLOCATION_WORKER,
};

const actor = 'test';

async function withScheduler({ world, workflow }: Scene): Promise<void> {
  await world.engine.putSchedulers(workflow, { schedulers: [GPU], actor });
}

async function ordered(scene: Scene): Promise<number> {
  await withScheduler(scene);
  const { items } = await scene.world.engine.orderAllocations(scene.workflow, { scheduler: 'gpu', actor });
  return items[0]!.id;
}

/** What is asked about schedulers and allocations. */
export const ALLOCATION_CASES = {
  listSchedulers: {
    works: async (scene) => {
      await withScheduler(scene);
      return get(scene.url('/schedulers'));
    },
    bad: [({ url }) => get(url('/schedulers?limit=0')), 'query.limit'],
    missing: [() => get('/api/v1/workflows/999/schedulers'), 'WORKFLOW_NOT_FOUND'],
    conflict: null,
  },
  putSchedulers: {
    works: ({ url }) => put(url('/schedulers'), { schedulers: [GPU] }),
    bad: [
      ({ url }) => put(url('/schedulers'), { schedulers: [{ ...GPU, nodes: 0 }] }),
      'body.schedulers[0].nodes',
    ],
    missing: [() => put('/api/v1/workflows/999/schedulers', { schedulers: [GPU] }), 'WORKFLOW_NOT_FOUND'],
    conflict: null,
  },
  resumeScheduler: {
    works: async (scene) => {
      await withScheduler(scene);
      return post(scene.url('/schedulers/gpu/resume'));
    },
    bad: [() => post('/api/v1/workflows/0/schedulers/gpu/resume'), 'path.workflow_id'],
    missing: [({ url }) => post(url('/schedulers/nothing/resume')), 'SCHEDULER_NOT_FOUND'],
    conflict: null,
  },
  listAllocations: {
    works: async (scene) => {
      await ordered(scene);
      return get(`/api/v1/allocations?workflow_id=${scene.workflow}&state=planned,queued`);
    },
    bad: [() => get('/api/v1/allocations?state=lost'), 'query.state[0]'],
    missing: [() => get('/api/v1/allocations?workflow_id=999'), 'WORKFLOW_NOT_FOUND'],
    conflict: null,
  },
  orderAllocations: {
    works: ({ url }) => post(url('/allocations'), { scheduler: 'gpu', count: 2, schedulers: [GPU] }),
    bad: [({ url }) => post(url('/allocations'), { scheduler: 'gpu', count: 0 }), 'body.count'],
    missing: [({ url }) => post(url('/allocations'), { scheduler: 'nothing' }), 'SCHEDULER_NOT_FOUND'],
    conflict: [
      async ({ world }) => {
        const spec = { name: 'over', jobs: [{ name: 'a', command: 'true' }] };
        const id = await world.submit(spec, world.tokens.operator);
        await world.engine.cancel(id, { actor });
        return post(`/api/v1/workflows/${id}/allocations`, { scheduler: 'gpu', schedulers: [GPU] });
      },
      'WORKFLOW_COMPLETE',
    ],
  },
  cancelAllocation: {
    works: async (scene) => post(`/api/v1/allocations/${await ordered(scene)}/cancel`, { reason: 'enough' }),
    bad: [() => post('/api/v1/allocations/1/cancel', { why: 'enough' }), 'body.why'],
    missing: [() => post('/api/v1/allocations/999/cancel', {}), 'ALLOCATION_NOT_FOUND'],
    conflict: [
      async (scene) => {
        const id = await ordered(scene);
        await scene.world.engine.cancelAllocation(id, { actor });
        return post(`/api/v1/allocations/${id}/cancel`, {});
      },
      'ALLOCATION_ENDED',
    ],
  },
} satisfies Partial<Record<EndpointId, EndpointCase>>;
