/** What the nodes inside one kind of block stand for. Nodes that are not named here are keys of their own name. */
export interface KdlShape {
  /** Nodes that each add an object to a list: `job "a" {…}` to `jobs`, with "a" as its name. */
  entries?: Readonly<Record<string, { key: string; shape: KdlShape }>>;
  /** Nodes whose arguments are added to a list: `input_file "a"` to `input_files`. */
  lists?: Readonly<Record<string, string>>;
  /** Blocks whose nodes have a shape of their own. */
  blocks?: Readonly<Record<string, KdlShape>>;
  /** Keys whose text is JSON. */
  json?: readonly string[];
}

/** Keys that are lists, whose nodes have their name. */
function lists(...keys: string[]): Record<string, string> {
  return Object.fromEntries(keys.map((key) => [key, key]));
}

const FILE: KdlShape = { lists: lists('use_parameters') };
const USER_DATA: KdlShape = { lists: lists('use_parameters'), json: ['data'] };

const ON_FAIL: KdlShape = { lists: lists('run') };

const RETRY: KdlShape = { lists: lists('retry_on_exit_codes', 'no_retry_on_exit_codes') };

const JOB: KdlShape = {
  lists: {
    ...lists(
      'depends_on',
      'depends_on_regexes',
      'input_files',
      'output_files',
      'input_files_regexes',
      'output_files_regexes',
      'input_file_regexes',
      'output_file_regexes',
      'input_user_data',
      'output_user_data',
      'input_user_data_regexes',
      'output_user_data_regexes',
      'use_parameters',
      'labels',
      'ports',
    ),
    depends_on_job: 'depends_on',
    input_file: 'input_files',
    output_file: 'output_files',
  },
  blocks: {
    retry: RETRY,
    on_fail: ON_FAIL,
    on_success: ON_FAIL,
  },
};

const RULE: KdlShape = { lists: lists('exit_codes', 'report_codes', 'signals', 'causes', 'categories') };

const UNIT_JOB: KdlShape = { lists: lists('labels'), blocks: { retry: RETRY } };

const ACTION: KdlShape = {
  lists: {
    ...lists('jobs', 'job_name_regexes', 'commands'),
    job: 'jobs',
    job_name_regex: 'job_name_regexes',
    command: 'commands',
  },
};

/** A workflow, a request or a rulebook in KDL. */
export const KDL_SPEC: KdlShape = {
  entries: {
    job: { key: 'jobs', shape: JOB },
    file: { key: 'files', shape: FILE },
    user_data: { key: 'user_data', shape: USER_DATA },
    resource_requirements: { key: 'resource_requirements', shape: {} },
    slurm_scheduler: { key: 'slurm_schedulers', shape: {} },
    failure_handler: {
      key: 'failure_handlers',
      shape: { entries: { rule: { key: 'rules', shape: RULE } } },
    },
    action: { key: 'actions', shape: ACTION },
    rule: { key: 'rules', shape: RULE },
  },
  lists: { ...lists('access_groups', 'sites'), access_group: 'access_groups' },
  blocks: {
    retry_defaults: RETRY,
    process: UNIT_JOB,
    merge: UNIT_JOB,
    cleanup: UNIT_JOB,
    routing: { lists: lists('env') },
  },
};
