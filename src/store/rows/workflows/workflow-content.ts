/** Rows that others refer to by number; each gets a new one where a workflow is imported. */
export const NUMBERED = [
  'workflow',
  'worker',
  'requirement',
  'failure_handler',
  'dependency_set',
  'job',
  'attempt',
  'scheduler',
  'action',
  'call',
] as const;

export type NumberedTable = (typeof NUMBERED)[number];

/** What a column holds. The name of a table: the number of a row there, its own in the column `id`. */
export type ColumnKind = 'int' | 'real' | 'text' | 'json' | 'bytes' | NumberedTable;

export interface WorkflowTable {
  name: string;
  /** The primary key. One that refers to a row through which the workflow is found begins with that column. */
  key: readonly string[];
  /** The column with the workflow, or the column that refers to a row of another table that has it. */
  workflow: { column: string } | { through: string; table: string; by: string };
  /** Its rows are removed together with those they belong to, of the table in `through`. */
  isPart?: true;
  /** All of them, in the order of an export; null: none is exported. */
  columns: Readonly<Record<string, ColumnKind>> | null;
}

const OWN = { column: 'workflow_id' };
const OF_ATTEMPT = { through: 'token', table: 'attempt', by: 'id' };

const text = <N extends string>(...names: N[]) => kinds('text', names);
const int = <N extends string>(...names: N[]) => kinds('int', names);
const json = <N extends string>(...names: N[]) => kinds('json', names);

function kinds(kind: ColumnKind, names: readonly string[]): Record<string, ColumnKind> {
  return Object.fromEntries(names.map((name) => [name, kind]));
}

/**
 * What a workflow consists of: every table that has rows of it, rows that others refer to before those. Deleting goes
 * through the list from its end. An export leaves out what means something only in its own database: idempotency keys,
 * followers of logs, what clusters were asked for, and ledgers of requests. A new column of one of these tables belongs
 * here as well; a test compares the two.
 */
export const WORKFLOW_TABLES: readonly WorkflowTable[] = [
  {
    name: 'workflow',
    key: ['id'],
    workflow: { column: 'id' },
    columns: {
      id: 'workflow',
      ...text('name', 'description', 'owner', 'project'),
      ...json('metadata', 'variables', 'routing', 'limits', 'notify', 'subscribers'),
      ...int('troubled', 'max_parallel', 'use_pending_failed', 'shared'),
      ...text('executor', 'cwd', 'output_dir'),
      ...int('run_id', 'job_count', 'created_at', 'storing_until', 'archived_at', 'request_id'),
      ...json('sites', 'until', 'run_settings'),
      ...int('paused_at'),
      ...text('paused_by', 'pause_reason'),
      ...int('stopping'),
      ...text('owned_by'),
      ...json('access_groups'),
    },
  },
  { name: 'submission', key: ['idempotency_key'], workflow: OWN, columns: null },
  {
    name: 'run',
    key: ['workflow_id', 'run_id'],
    workflow: OWN,
    columns: {
      workflow_id: 'workflow',
      ...int('run_id'),
      ...text('state'),
      driver_id: 'worker',
      ...int('created_at'),
      ...text('kind'),
      ...int('started_at', 'finished_at', 'attempts_finished', 'successes', 'success_ms'),
      ...json('round_end'),
    },
  },
  { name: 'dag_run', key: ['workflow_id', 'number'], workflow: OWN, columns: null },
  {
    name: 'scope',
    key: ['workflow_id', 'scope'],
    workflow: OWN,
    columns: {
      workflow_id: 'workflow',
      ...text('scope'),
      ...int('item_index', 'total'),
      ...json('item'),
      ...int('loops'),
    },
  },
  {
    name: 'user_data',
    key: ['id'],
    workflow: OWN,
    columns: {
      ...int('id'),
      workflow_id: 'workflow',
      ...text('name'),
      ...json('initial', 'data'),
      ...int('is_ephemeral'),
    },
  },
  {
    name: 'failure_handler',
    key: ['id'],
    workflow: OWN,
    columns: { id: 'failure_handler', workflow_id: 'workflow', ...text('name'), ...json('rules') },
  },
  {
    name: 'requirement',
    key: ['id'],
    workflow: OWN,
    columns: {
      id: 'requirement',
      workflow_id: 'workflow',
      ...text('name'),
      cpus: 'real',
      ...int('memory_bytes', 'gpus', 'nodes'),
      ...json('resources', 'labels'),
      ...int('runtime_ms'),
    },
  },
  {
    name: 'dependency_set',
    key: ['id'],
    workflow: OWN,
    columns: {
      id: 'dependency_set',
      workflow_id: 'workflow',
      ...int('size', 'remaining', 'unsuccessful', 'disabled'),
    },
  },
  {
    name: 'job',
    key: ['id'],
    workflow: OWN,
    columns: {
      id: 'job',
      workflow_id: 'workflow',
      ...text('name', 'scope'),
      ...int('status', 'priority', 'claim_rank'),
      requirement_id: 'requirement',
      dependency_set_id: 'dependency_set',
      failure_handler_id: 'failure_handler',
      ...int('cancel_on_failure', 'continue_on_failure'),
      ...text('fail_fast'),
      ...int('on_call', 'held', 'blueprint'),
      ...text('settled'),
      ...int('visit', 'attempt_id'),
      ...text('waiting_for'),
      ...int('waiting_until'),
      waiting_token: 'attempt',
      avoid_worker_id: 'worker',
      ...text('avoid_site'),
      ...int('avoid_until', 'overtaken'),
      ...text('ending', 'ending_actor'),
      canceled_by: 'job',
      ...json('serves'),
      ...int('scheduling_timeout'),
      ...text('scheduler', 'reason', 'stdio'),
      ...json('config'),
      specified_requirement_id: 'requirement',
      ...int('specified_timeout_ms'),
    },
  },
  {
    name: 'dependency_member',
    key: ['set_id', 'job_id'],
    workflow: { through: 'set_id', table: 'dependency_set', by: 'id' },
    columns: { job_id: 'job', set_id: 'dependency_set', ...int('kind') },
  },
  {
    name: 'attempt',
    key: ['id'],
    workflow: OWN,
    columns: {
      id: 'attempt',
      workflow_id: 'workflow',
      job_id: 'job',
      ...int('run_id', 'visit', 'attempt_id'),
      ...text('caller'),
      worker_id: 'worker',
      ...int('claimed_at', 'started_at', 'finished_at'),
      ...json('outcome'),
      ...text('cause'),
      ...int('match_code'),
      ...text('category', 'verdict', 'counts_as', 'rule', 'handler_outcome'),
      ...json('route'),
      ...text('reason', 'actor'),
      ...json('walk', 'evaluations', 'observed', 'post', 'usage', 'output'),
      ...text('fingerprint'),
    },
  },
  {
    name: 'attempt_log',
    key: ['token', 'stream'],
    workflow: OF_ATTEMPT,
    isPart: true,
    columns: { token: 'attempt', ...text('stream'), ...int('first_byte'), data: 'bytes' },
  },
  {
    name: 'attempt_samples',
    key: ['token'],
    workflow: OF_ATTEMPT,
    isPart: true,
    columns: { token: 'attempt', ...int('sample_count'), ...json('samples') },
  },
  { name: 'log_reader', key: ['token'], workflow: OF_ATTEMPT, isPart: true, columns: null },
  {
    name: 'file_mark',
    key: ['workflow_id', 'job_id', 'token', 'role', 'path'],
    workflow: OWN,
    columns: {
      workflow_id: 'workflow',
      job_id: 'job',
      token: 'attempt',
      ...text('role', 'path', 'kind'),
      ...int('size'),
      ...text('mtime_ns', 'hash', 'problem'),
    },
  },
  {
    name: 'event',
    key: ['id'],
    workflow: OWN,
    columns: {
      ...int('id'),
      workflow_id: 'workflow',
      ...int('run_id'),
      job_id: 'job',
      ...int('attempt_id', 'at'),
      ...text('type', 'actor', 'reason'),
      ...json('data'),
    },
  },
  {
    name: 'decision',
    key: ['id'],
    workflow: OWN,
    columns: {
      ...int('id'),
      workflow_id: 'workflow',
      ...int('run_id'),
      job_id: 'job',
      ...int('attempt_id'),
      ...text('action', 'actor', 'reason'),
      confidence: 'real',
      ...text('fingerprint'),
      ...int('memory_bytes', 'runtime_ms', 'decided_at'),
    },
  },
  {
    name: 'scheduler',
    key: ['id'],
    workflow: OWN,
    columns: {
      id: 'scheduler',
      workflow_id: 'workflow',
      ...text('name'),
      ...json('model'),
      ...int('refusals'),
      ...text('refusal'),
      ...int('next_try_at', 'misses', 'paused_at'),
      ...text('pause_reason'),
      ...json('seen'),
    },
  },
  {
    name: 'action',
    key: ['id'],
    workflow: OWN,
    columns: {
      id: 'action',
      workflow_id: 'workflow',
      ...text('trigger_type'),
      ...int('persistent'),
      ...json('commands', 'schedule'),
      ...int('removed'),
    },
  },
  {
    name: 'action_job',
    key: ['action_id', 'job_id'],
    workflow: { through: 'action_id', table: 'action', by: 'id' },
    columns: { action_id: 'action', job_id: 'job' },
  },
  { name: 'allocation', key: ['id'], workflow: OWN, columns: null },
  {
    name: 'errand',
    key: ['id'],
    workflow: OWN,
    columns: {
      ...int('id'),
      workflow_id: 'workflow',
      ...int('run_id'),
      ...text('kind', 'holder'),
      token: 'attempt',
      job_id: 'job',
      action_id: 'action',
      worker_id: 'worker',
      ...text('server'),
      ...int('server_lease_expires_at', 'ordered_at', 'started_at', 'timeout_ms', 'cancel_requested'),
      ...int('finished_at'),
      ...json('result', 'data'),
      ...int('request_id', 'due_at', 'tries'),
      ...text('target'),
    },
  },
  {
    name: 'route',
    key: ['token'],
    workflow: OWN,
    columns: {
      token: 'attempt',
      workflow_id: 'workflow',
      job_id: 'job',
      ...text('kind'),
      ...int('not_before'),
      ...text('state'),
    },
  },
  {
    name: 'call',
    key: ['route_token', 'id'],
    workflow: { through: 'route_token', table: 'route', by: 'token' },
    isPart: true,
    columns: { id: 'call', route_token: 'attempt', job_id: 'job', ...int('position'), ...text('state') },
  },
  { name: 'unit', key: ['id'], workflow: OWN, columns: null },
  {
    name: 'unit_item',
    key: ['unit_id', 'item_id'],
    workflow: { through: 'unit_id', table: 'unit', by: 'id' },
    columns: null,
  },
];
