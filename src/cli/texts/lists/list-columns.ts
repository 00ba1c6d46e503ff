import { allocationSchema } from '../../../contract/schemas/allocation-records.ts';
import { attemptSchema, eventSchema, jobSchema } from '../../../contract/schemas/job-records.ts';
import {
  itemRecord,
  requestSummary,
  siteRecord,
  unitRecord,
} from '../../../contract/schemas/request-records.ts';
import { failureGroup, utilization } from '../../../contract/schemas/resolution.ts';
import { auditSchema, tokenRecord } from '../../../contract/schemas/token.ts';
import { workerSchema, workflowSchema } from '../../../contract/schemas/workflow-records.ts';
import { JOB_STATUSES } from '../../../core/job/job-status.ts';
import type { SampledFailureGroup } from '../../../views/failure-group.ts';
import type { SettingOrigin } from '../../config/resolve-settings.ts';
import type { ListedAllocation } from '../slurm/allocations.ts';
import type { PlannedShape } from '../slurm/planned-shapes.ts';
import type { UsageRow } from '../usage-table.ts';
import type { Check } from './checks.ts';
import type { DecisionStatsRow } from './decision-stats.ts';

/** A record with each of its fields, in the order of the columns. */
type Fields<R> = Record<keyof R, unknown>;

const columns = <R>(fields: Fields<R>): readonly string[] => Object.keys(fields);

/** The columns of every list that commands print, for `--output csv`. Loaded only then: the schemas are large. */
export const LIST_COLUMNS = {
  allocations: columns<ListedAllocation>({ ...allocationSchema.shape, worker_ids: 0, running: 0 }),
  attempts: columns(attemptSchema.shape),
  checks: columns<Check>({ name: 0, result: 0, detail: 0, hint: 0 }),
  decisions: columns<DecisionStatsRow>({
    fingerprint: 0,
    action: 0,
    actor: 0,
    decisions: 0,
    succeeded: 0,
    failed_again: 0,
    open: 0,
    latest_at_ms: 0,
    latest_reason: 0,
  }),
  events: columns(eventSchema.shape),
  failures: columns<SampledFailureGroup>({ ...failureGroup.shape, stderr_tail: 0 }),
  history: columns(auditSchema.shape),
  items: columns(itemRecord.shape),
  jobs: columns(jobSchema.shape),
  requests: columns(requestSummary.shape),
  settings: columns<SettingOrigin>({ key: 0, value: 0, origin: 0, source: 0 }),
  shapes: columns<PlannedShape>({
    scheduler: 0,
    label: 0,
    allocations: 0,
    nodes: 0,
    starts_at_ms: 0,
    problem: 0,
  }),
  sites: columns(siteRecord.shape),
  tokens: columns(tokenRecord.shape),
  units: columns(unitRecord.shape),
  usage: columns<UsageRow>({
    ...utilization.shape,
    memory_share: 0,
    runtime_share: 0,
    cpus_share: 0,
    marks: 0,
  }),
  workers: columns(workerSchema.shape),
  workflows: [
    ...columns({
      ...workflowSchema.shape,
      state: 0,
      complete: 0,
      exit_code: 0,
      started_at_ms: 0,
      finished_at_ms: 0,
    }),
    ...JOB_STATUSES.map((status) => `jobs_${status}`),
  ],
};

export type ListName = keyof typeof LIST_COLUMNS;
