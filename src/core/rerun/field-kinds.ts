import { fieldOf, type StoredConfig } from '../model/config-text.ts';
import type { JobConfig } from '../model/workflow-model.ts';

/**
 * What a change of a field means for a job that has run. `what_runs`: its result may be another one, so it runs again.
 * `policy`: how attempts are started, limited and evaluated; it holds from the next attempt on. `derived`: follows from
 * other fields and jobs, whose change is the reason.
 */
export type FieldKind = 'what_runs' | 'policy' | 'derived';

/** Every field, so that a new one cannot be added without a decision. */
export const CONFIG_FIELD_KINDS: Record<keyof JobConfig, FieldKind> = {
  // Before the command, which changes with them where it has `{input}` or `{output}`.
  input_files: 'what_runs',
  output_files: 'what_runs',
  command: 'what_runs',
  shell: 'what_runs',
  template: 'what_runs',
  cwd: 'what_runs',
  env: 'what_runs',
  isolate: 'what_runs',
  ports: 'what_runs',
  user_data: 'what_runs',
  output: 'what_runs',
  condition: 'what_runs',
  on_call: 'what_runs',
  for_each: 'what_runs',
  given_files: 'derived',
  reads: 'derived',
  timeout_ms: 'policy',
  deadline_ms: 'policy',
  scheduling_timeout_ms: 'policy',
  limit_resources: 'policy',
  end_signal: 'policy',
  grace_ms: 'policy',
  fingerprint: 'policy',
  failed_outputs: 'policy',
  stdio: 'policy',
  sample_ms: 'policy',
  retry: 'policy',
  failure_handler: 'policy',
  post: 'policy',
  fail_if: 'policy',
  tags: 'policy',
  group: 'policy',
  scheduler: 'policy',
  step: 'policy',
  continue_on_failure: 'policy',
  fail_fast: 'policy',
  on_fail: 'policy',
  on_success: 'policy',
};

/** Fields beside the configuration; all of them are policy. */
export type RowField = 'priority' | 'claim_rank' | 'cancel_on_blocking_job_failure' | 'resources';

export type JobField = keyof JobConfig | RowField;

/** The order of the spec's files means nothing. */
const UNORDERED: ReadonlySet<string> = new Set([
  'input_files',
  'output_files',
  'given_files',
  'ports',
  'tags',
]);

const NAMES = Object.keys(CONFIG_FIELD_KINDS) as (keyof JobConfig)[];

/** Fields in which two configurations differ, in the order of the table. What neither of them has is the default. */
export function differentFields(before: StoredConfig, after: StoredConfig): (keyof JobConfig)[] {
  return NAMES.filter((name) => {
    if (!(name in before || name in after)) return false;
    const [a, b] = [fieldOf(before, name), fieldOf(after, name)];
    return a !== b && canonical(a, UNORDERED.has(name)) !== canonical(b, UNORDERED.has(name));
  });
}

/** A text that is equal for values that mean the same: keys of objects are sorted. */
export function canonical(value: unknown, isUnordered = false): string {
  if (Array.isArray(value)) {
    const items = value.map((item) => canonical(item));
    return `[${(isUnordered ? items.sort() : items).join()}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${entries
    .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`)
    .sort()
    .join()}}`;
}
