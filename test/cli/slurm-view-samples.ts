import { proposedModel } from '../../src/cli/slurm/proposed-model.ts';
import {
  allocationsView,
  allocationView,
  type ListedAllocation,
  resumedSchedulerView,
} from '../../src/cli/texts/slurm/allocations.ts';
import { type PlannedShape, plannedShapesView } from '../../src/cli/texts/slurm/planned-shapes.ts';
import { generatedView } from '../../src/cli/texts/slurm/proposals-text.ts';
import { regenerationView } from '../../src/cli/texts/slurm/regeneration-text.ts';
import type { SchedulerRecord } from '../../src/contract/records/allocation.ts';
import { proposeSchedulers } from '../../src/core/allocation/propose-schedulers.ts';
import { NO_REQUIREMENT } from '../../src/core/model/workflow-model.ts';
import { NOON } from './records.ts';
import { sample } from './view-sample.ts';

const kind = { nodes: 2, cpus: 4, memory_bytes: 1024 ** 3, gpus: 0 };
const { proposals } = proposeSchedulers(
  [{ needs: { ...NO_REQUIREMENT, cpus: 2, runtime_ms: 60_000 }, jobs: 3, names: ['a'] }],
  {
    partitions: [{ name: 'main', is_default: true, max_ms: null, kinds: [kind] }],
    partition: null,
    taken: [],
  },
);
const model = proposedModel(proposals[0]!, 'p');

export const shownAllocation = (change: Partial<ListedAllocation> = {}): ListedAllocation => ({
  id: 1,
  workflow_id: 1,
  run_id: 1,
  scheduler: 'gpu',
  tag: 'holdfast-0123456789ab',
  state: 'queued',
  cluster_id: '4711',
  word: 'PENDING',
  why: 'Resources',
  never: false,
  starts_at_ms: NOON,
  ends_at_ms: null,
  restarts: 0,
  workers: 0,
  ordered_at_ms: NOON,
  submitted_at_ms: NOON,
  started_at_ms: null,
  ended_at_ms: null,
  end: null,
  cancel_reason: null,
  actor: null,
  worker_ids: [],
  running: 0,
  ...change,
});

export const schedulerRecordOf = (change: Partial<SchedulerRecord> = {}): SchedulerRecord => ({
  workflow_id: 1,
  name: 'gpu',
  model,
  paused: null,
  refusals: 0,
  refusal: null,
  next_try_at_ms: null,
  misses: 0,
  seen: null,
  allocations: { queued: 1, running: 0 },
  ...change,
});

const shape = (change: Partial<PlannedShape> = {}): PlannedShape => ({
  scheduler: 'gpu',
  label: 'as written',
  allocations: 2,
  nodes: 1,
  starts_at_ms: NOON,
  problem: null,
  ...change,
});

export const slurmViewSamples = {
  allocationsView: sample(allocationsView, {
    allocations: [shownAllocation()],
    held: [schedulerRecordOf({ paused: { at_ms: NOON, reason: 'its worker never came' } })],
  }),
  allocationView: sample(allocationView, shownAllocation({ cancel_reason: 'canceled by ada' })),
  resumedSchedulerView: sample(resumedSchedulerView, schedulerRecordOf()),
  plannedShapesView: sample(plannedShapesView, [
    shape(),
    shape({ label: 'one large', allocations: 1, nodes: 2 }),
  ]),
  generatedView: sample(generatedView, {
    file: null,
    source: 'sinfo',
    complete: true,
    text: 'name: n\n',
    sections: { slurm_schedulers: [{ name: 'gpu' }], actions: [] },
    proposals,
  }),
  regenerationView: sample(regenerationView, {
    workflowId: 1,
    stored: true,
    proposals: [{ model, allocations: 2, because: ['3 jobs'] }],
    ordered: [7, 8],
  }),
};
