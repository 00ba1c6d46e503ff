import { fieldOf, parseConfig, type StoredConfig } from '../model/config-text.ts';
import type { JobConfig, Requirement } from '../model/workflow-model.ts';
import type { StoredJob } from '../model/workflow-parts.ts';
import type { StoredRow } from './edited-workflow.ts';
import { CONFIG_FIELD_KINDS, canonical, differentFields, type JobField } from './field-kinds.ts';
import type { RerunReason } from './rerun-reason.ts';
import { specKeyOf } from './spec-values.ts';

export interface JobDifference {
  /** Fields that the user changed. */
  fields: JobField[];
  /** Why what runs is another thing; null: only policy changed, or nothing. */
  reason: RerunReason | null;
  /** The stored row has to be written, if only because of something that follows from other jobs. */
  is_written: boolean;
  /** The spec asks for other memory or runtime than before: what was changed since does not stand. */
  resources_changed: boolean;
}

const SAME: JobDifference = { fields: [], reason: null, is_written: false, resources_changed: false };

/** Compares a stored job with the edited spec, without what it waits for. */
export function compareJob(
  row: StoredRow,
  job: StoredJob,
  requirements: { before: Requirement; after: Requirement },
): JobDifference {
  // A job whose rank depends on all others is claimed in another order, which is no change of its own.
  const isRanked = job.claim_rank !== row.claim_rank && row.scope === job.scope;
  const hasSameRow =
    row.config === job.config &&
    row.specified === null &&
    row.priority === job.priority &&
    row.cancel_on_failure === job.cancel_on_failure &&
    requirements.before === requirements.after;
  if (hasSameRow) return isRanked ? { ...SAME, is_written: true } : SAME;
  const before = asSpecified(row);
  const after = parseConfig(job.config);
  const different = differentFields(before, after);
  const fields: JobField[] = different.filter((name) => CONFIG_FIELD_KINDS[name] !== 'derived');
  if (row.priority !== job.priority) fields.push('priority');
  if (row.cancel_on_failure !== job.cancel_on_failure) fields.push('cancel_on_blocking_job_failure');
  const resourcesChanged =
    requirements.before !== requirements.after &&
    canonical(requirements.before) !== canonical(requirements.after);
  if (resourcesChanged) fields.push('resources');
  const what = different.find((name) => CONFIG_FIELD_KINDS[name] === 'what_runs');
  return {
    fields,
    reason: what === undefined ? null : reasonFor(what, before, after),
    is_written: isRanked || different.length > 0 || fields.length > 0,
    resources_changed: resourcesChanged || different.includes('timeout_ms'),
  };
}

/** The configuration as its spec had it. */
export function asSpecified(row: StoredRow): StoredConfig {
  const config = parseConfig(row.config);
  return row.specified === null ? config : { ...config, timeout_ms: row.specified.timeout_ms };
}

function reasonFor(field: keyof JobConfig, before: StoredConfig, after: StoredConfig): RerunReason {
  if (field === 'command') return { kind: 'command_changed' };
  if (field === 'input_files' || field === 'output_files') {
    const what = field === 'input_files' ? 'input' : 'output';
    return fileReason(what, fieldOf(before, field), fieldOf(after, field));
  }
  return { kind: 'setting_changed', field: specKeyOf(field) };
}

function fileReason(
  what: 'input' | 'output',
  before: readonly string[],
  after: readonly string[],
): RerunReason {
  const added = after.find((path) => !before.includes(path));
  if (added !== undefined) return { kind: `${what}_added`, path: added };
  const removed = before.find((path) => !after.includes(path));
  return { kind: `${what}_removed`, path: removed ?? after[0] ?? '' };
}
