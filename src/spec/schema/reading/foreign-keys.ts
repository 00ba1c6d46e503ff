/**
 * What people write out of habit from other systems (GitHub Actions, GitLab, Argo, Visor, Snakemake, Slurm and others),
 * and what it is here. Keys are compared without case, - and _.
 */
type Hints = Record<string, string>;

const hints = (...groups: [keys: string, hint: string][]): Hints =>
  Object.fromEntries(groups.flatMap(([keys, hint]) => keys.split(' ').map((key) => [key, hint])));

const DEPENDENCIES = 'needs requires dependencies depends dependson after upstream waitfor runafter';
const TIME = 'timeoutminutes timeoutseconds timeoutms activedeadlineseconds timelimit maxruntime';
const RETRIES =
  'retries maxretries retrycount maxattempts attempts retrystrategy retrylimit retrypolicy tries';
const DIRECTORY = 'workdir workingdir workingdirectory directory dir cd chdir';
const CONTAINER = 'image container docker singularity apptainer';

const COMMON = hints(
  [RETRIES, 'write retry: {max_retries_failure: N}'],
  [TIME, 'write timeout: 30m'],
  ['environment environ envvars environmentvariables vars', 'write env: {NAME: value}'],
  ['onfailure onerror onfail catch', 'write on_fail: {run: [NAME]} or on_fail: {goto: NAME}'],
  ['onsuccess then', 'write on_success: {run: [NAME]}'],
  [
    'onfinish onexit finally always aftereach',
    'write on_success and on_fail, or post for a script that runs after every attempt',
  ],
  ['guarantee ensure expect postcondition', 'write fail_if: "CONDITION" at a step, or post: COMMAND'],
  ['uses plugin action', 'write a command that does the same'],
  [CONTAINER, 'there are no containers here; start one in the command'],
  ['runson nodeselector queue machine', 'write labels: [NAME] at a job; a worker with these labels runs it'],
);

const JOB: Hints = {
  ...COMMON,
  ...hints(
    [DEPENDENCIES, 'write depends_on: [JOB]'],
    ['run script exec cmd shellcommand args entrypoint executable program invocation', 'write command: TEXT'],
    ['steps tasks', 'write one job for each, or `steps` instead of `jobs`'],
    [
      'matrix strategy withitems withparam withsequence sweep foreach loop scatter expand',
      'write parameters: {i: [a, b]} and {i} in the texts',
    ],
    ['mem memmb memorymb ram', 'write memory: 2g'],
    ['cpus cpu cores threads ncpus', 'write num_cpus: N'],
    ['gpus gpu ngpus', 'write num_gpus: N'],
    ['runtime walltime time', 'write timeout: 1h'],
    ['nodes numnodes disk', 'write resource_requirements: {num_cpus: 1, memory: 2g, runtime: 1h}'],
    [DIRECTORY, 'write cwd: DIRECTORY'],
    [
      'continueonerror continueonfailure allowfailure ignoreerrors',
      'write cancel_on_blocking_job_failure: false at the jobs that are to run all the same',
    ],
    ['input inputs infiles', 'write input_files: [PATH]'],
    ['output outputs outfiles artifacts', 'write output_files: [PATH]'],
    ['if when condition unless assume', 'write the condition into the command; `if` is for steps'],
    ['failif', 'write post: COMMAND; `fail_if` is for steps'],
    ['id key title', 'write name: TEXT'],
    ['concurrency semaphore mutex', 'write resources: {NAME: 1} here and limits: {NAME: N} in the workflow'],
    ['handler failurepolicy', 'write failure_handler: NAME'],
  ),
};

const STEP: Hints = {
  ...COMMON,
  ...hints(
    [DEPENDENCIES, 'write depends_on: [STEP]'],
    ['run script command cmd args entrypoint program', 'write exec: TEXT'],
    ['matrix strategy withitems withparam loop', 'write forEach: true at the step that prints the list'],
    [DIRECTORY, 'write exec: cd DIRECTORY && COMMAND'],
    ['continueonerror allowfailure ignoreerrors', 'write continue_on_failure: true'],
    ['when condition assume precondition', 'write if: "CONDITION"'],
    ['id name key title', 'write the name as the key of the step'],
    ['reduce join', 'write fanout: reduce'],
    ['outputs outputformat schema', 'write output: json'],
    ['prompt ai model', 'only commands can be run; call the program in exec'],
    [
      'memory mem cpus cpu runtime resources resourcerequirements labels parameters',
      'write `jobs` instead of `steps`, which have this',
    ],
    ['on events triggers', 'steps run when the workflow is run; write depends_on: [STEP]'],
  ),
};

const WORKFLOW: Hints = hints(
  ['tasks stages pipeline', 'write jobs: [{name: NAME, command: TEXT}]'],
  ['checks workflow templates', 'write steps: {NAME: {exec: TEXT}}'],
  ['apiversion spec', 'write name, and jobs or steps, at the top of the file'],
  [
    'on schedule cron triggers',
    'a workflow runs when it is run; call `holdfast run` from a timer such as cron',
  ],
  ['environment environ vars', 'write env: {NAME: value} or variables: {NAME: value}'],
  ['matrix strategy', 'write parameters: {i: [a, b]} at a job'],
  ['parallelism maxparallelism concurrency cores', 'write max_parallel: N'],
  ['entrypoint', 'every job runs; write depends_on for the order'],
  [RETRIES, 'write retry_defaults: {max_retries_failure: N}'],
  ['retry defaults', 'write retry_defaults: {max_retries_failure: N}'],
  [TIME, 'write timeout: 30m at a job'],
  ['timeout', 'write timeout: 30m at a job'],
  [
    'onfailure onerror onfail onexit onfinish onsuccess finally notifications',
    'write actions: [{trigger_type: on_workflow_complete, action_type: run_commands, commands: [TEXT]}]',
  ],
  ['maxloops', 'write routing: {max_loops: N}'],
  ['handlers failurehandler', 'write failure_handlers: [{name: NAME, rules: [...]}]'],
  ['resources requirements', 'write resource_requirements: [{name: NAME, memory: 2g}]'],
  [CONTAINER, 'there are no containers here; start one in a command'],
);

const REQUIREMENT: Hints = hints(
  ['mem memorymb memmb ram', 'write memory: 2g'],
  ['cpus cpu cores threads ncpus cpuspertask', 'write num_cpus: N'],
  ['gpus gpu ngpus', 'write num_gpus: N'],
  ['nodes', 'write num_nodes: N'],
  ['time timeout walltime timelimit', 'write runtime: 1h'],
);

const RETRY: Hints = hints(
  ['max limit count times retries maxretries', 'write max_retries_failure: N'],
  ['attempts maxattempts', 'write max_retries_failure: N, the first execution not counted'],
  ['delay backoff interval wait delayms retrydelay', 'write initial_delay: 1s'],
  ['factor multiplier', 'write backoff_multiplier: 2'],
  ['exitcodes when on onexitcodes', 'write retry_on_exit_codes: [N]'],
);

const ROUTES: Hints = hints(
  ['retries maxretries attempts max', 'write retry: {max: N}'],
  ['steps jobs then remediate', 'write run: [NAME]'],
  ['next jump target', 'write goto: NAME'],
  ['backoff delay', 'write retry: {max: N, backoff: {delay_ms: N}}'],
);

const RULE: Hints = hints(
  ['codes code exitcode onexitcodes', 'write exit_codes: [N]'],
  ['script command run action', 'write recovery_script: TEXT'],
  ['retries attempts maxattempts retry', 'write max_retries: N, the first execution counted'],
  ['pattern regex message', 'write stderr: PATTERN'],
  ['all default catchall', 'write match_all_exit_codes: true'],
);

const RULEBOOK_RULE: Hints = hints(
  [
    'recoveryscript timeout maxretries retries attempts maxattempts retry',
    'retries belong to `retry` of the request',
  ],
  ['codes code exitcode onexitcodes', 'write exit_codes: [N] or report_codes: [N]'],
  ['reportcode', 'write report_codes: [N]'],
  ['pattern regex', 'write stderr: PATTERN, message: PATTERN or holds: PATTERN'],
  ['all default catchall', 'write match_all_exit_codes: true'],
  ['baditem badinputs badinputfiles badfiles', 'write bad_items: reported'],
);

const UNIT_JOB: Hints = hints(
  ['run script exec cmd shellcommand executable program', 'write command: TEXT'],
  ['retries maxretries retrycount attempts', 'write retry: N'],
  [TIME, 'write timeout: 30m'],
  [
    'memory mem cpus cpu numcpus cores gpus gpu runtime walltime',
    'write resource_requirements: {num_cpus: 1, memory: 2g, runtime: 1h}',
  ],
  [DIRECTORY, 'write cwd: DIRECTORY'],
  ['environment environ envvars vars', 'write env: {NAME: value}'],
  [CONTAINER, 'there are no containers here; start one in the command'],
);

/** By the name of the object in the schema. */
export const FOREIGN_KEYS: Record<string, Hints> = {
  Workflow: WORKFLOW,
  Job: JOB,
  Step: STEP,
  ResourceRequirement: REQUIREMENT,
  InlineRequirement: REQUIREMENT,
  Retry: RETRY,
  OnFail: ROUTES,
  OnSuccess: ROUTES,
  RouteRetry: hints(
    ['attempts count limit times retries maxretries', 'write max: N'],
    ['delay delayms', 'write backoff: {delay_ms: N}'],
  ),
  FailureRule: RULE,
  RulebookRule: RULEBOOK_RULE,
  UnitJob: UNIT_JOB,
};

/** `; write depends_on: [JOB]` for a key that other systems have, or nothing. */
export function foreignKeyHint(object: string | undefined, key: string): string {
  const table = object === undefined ? undefined : FOREIGN_KEYS[object];
  const plain = key.toLowerCase().replace(/[-_]/g, '');
  return table !== undefined && Object.hasOwn(table, plain) ? `; ${table[plain]}` : '';
}

/** What to write instead of a value of another shape; `message` says what it should be and what it is. */
export function foreignShapeHint(path: readonly PropertyKey[], message: string): string {
  const key = path.at(-1);
  const number = /, got (\d+)$/.exec(message)?.[1];
  if (key === 'retry' && number !== undefined) {
    return path.at(-2) === 'on_fail'
      ? `; write retry: {max: ${number}}`
      : `; write retry: {max_retries_failure: ${number}}`;
  }
  if (key === 'env' && message.endsWith('got a list')) return '; write env: {NAME: value}';
  if (path.length !== 1) return '';
  if (key === 'jobs' && message.endsWith('got an object with keys')) {
    return '; write - name: NAME for each job, or `steps` for an object of steps';
  }
  if (key === 'steps' && message.endsWith('got a list')) {
    return '; write each step under its name, as in build: {exec: make}';
  }
  return '';
}
