/** Two kinds of failures that no rule covers, among jobs that succeed, and one that waits for them. */
export const nightly = (name: string, code: number) => ({
  name,
  description: 'Reconstructs the events of one night, and merges them.',
  user: 'ada',
  project: 'astro',
  use_pending_failed: true,
  retry_defaults: { max_retries_failure: 0 },
  jobs: [
    { name: 'calibrate', command: 'echo calibrated' },
    {
      name: 'reconstruct_{run}',
      parameters: { run: '1:3' },
      depends_on: ['calibrate'],
      // Fails until a file is there, which a person would put there before retrying.
      command: `echo reading run {run}; if [ ! -e fixed ]; then printf "\\033[31mConnection refused\\033[0m by db.example:5432\\n" >&2; exit ${code}; fi; echo done`,
    },
    {
      name: 'background_model',
      depends_on: ['calibrate'],
      command: 'echo "ValueError: no such band: K" >&2; exit 3',
    },
    { name: 'merge', depends_on_regexes: ['reconstruct_.*'], command: 'echo merged' },
  ],
});

/** Everything that a page shows tries to be markup. */
export const HOSTILE_NAME = '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>';
export const HOSTILE = {
  name: HOSTILE_NAME,
  description: HOSTILE_NAME,
  use_pending_failed: true,
  retry_defaults: { max_retries_failure: 0 },
  jobs: [
    {
      name: HOSTILE_NAME,
      command: `echo '${HOSTILE_NAME.replaceAll("'", '')}' >&2; printf '\\033]8;;javascript:window.hurt=1\\033\\\\click\\033]8;;\\033\\\\\\n' >&2; exit 9`,
    },
  ],
};

/** Many jobs, some of which fail for good. */
export const MANY = {
  name: 'parameter-sweep',
  user: 'grace',
  retry_defaults: { max_retries_failure: 0 },
  jobs: [
    { name: 'point_{index}', parameters: { index: '1:600' }, command: 'true', depends_on: ['begin'] },
    { name: 'begin', command: 'true' },
    {
      name: 'odd_{index}',
      parameters: { index: '1:4' },
      command: 'test -e even || { echo "FileNotFoundError: even" >&2; exit 4; }',
    },
  ],
};

/** Jobs that wait for a decision, what waits for them, and one beside them. */
export const CHOSEN = {
  name: 'curve-fits',
  use_pending_failed: true,
  retry_defaults: { max_retries_failure: 0 },
  jobs: [
    { name: 'fit_{band}', parameters: { band: '1:3' }, command: 'exit 6' },
    { name: 'merge', depends_on_regexes: ['fit_.*'], command: 'true' },
    { name: 'check', command: 'true' },
  ],
};

/** Writes a line a moment as long as a file is not there. */
export const LIVE = {
  name: 'long-simulation',
  user: 'ada',
  jobs: [
    {
      name: 'simulate',
      command: 'n=0; while [ ! -e stop-simulation ]; do n=$((n+1)); echo "step $n"; sleep 0.2; done',
    },
  ],
};

/** As many jobs as a page must stand, none of which any worker can take. */
export const HUGE = {
  name: 'hundred-thousand',
  user: 'grace',
  resource_requirements: [{ name: 'giant', num_cpus: 100_000 }],
  jobs: [
    { name: 'begin', command: 'true', resource_requirements: 'giant' },
    {
      name: 'simulate_{index}',
      parameters: { index: '1:50000' },
      command: 'true',
      depends_on: ['begin'],
    },
    {
      name: 'analyse_{index}',
      parameters: { index: '1:49998' },
      command: 'true',
      depends_on: ['simulate_{index}'],
    },
    { name: 'merge', command: 'true', depends_on_regexes: ['analyse_.*'] },
  ],
};

/** Stages of several jobs each: some fail, some are retried, one succeeds after a recovery script. */
export const PIPELINE = {
  name: 'genome-alignment',
  description: 'Aligns reads of sixty samples, and calls variants.',
  user: 'ada',
  project: 'genomics',
  failure_handlers: [
    {
      name: 'repair-index',
      rules: [{ exit_codes: [20], recovery_script: 'sleep 0.3; touch index-fixed', max_retries: 3 }],
    },
  ],
  jobs: [
    { name: 'fetch', command: 'sleep 0.2' },
    { name: 'index', command: 'sleep 0.2; test -e index-fixed || exit 20', failure_handler: 'repair-index' },
    {
      name: 'align_{sample}',
      parameters: { sample: '1:60' },
      depends_on: ['fetch', 'index'],
      command:
        'case {sample} in 7|31) echo "sample {sample}: too few reads, alignment failed" >&2; exit 4;; esac',
      retry: { max_retries_failure: 1, initial_retry_delay_ms: 300 },
    },
    {
      name: 'call_{region}',
      parameters: { region: '1:4' },
      depends_on: ['align_1', 'align_2'],
      command: 'sleep 0.1',
    },
    { name: 'quality', depends_on: ['fetch'], command: 'sleep 0.3' },
    { name: 'report', depends_on_regexes: ['call_.*'], depends_on: ['quality'], command: 'true' },
    { name: 'publish', depends_on_regexes: ['align_.*'], command: 'true' },
  ],
};

/** Fails until a file is there. */
export const TWICE = {
  name: 'weekly-backup',
  user: 'grace',
  jobs: [
    {
      name: 'dump',
      command: 'test -e second-run || exit 5',
      retry: { max_retries_failure: 1, initial_retry_delay_ms: 1 },
    },
    { name: 'export_{table}', parameters: { table: '1:6' }, depends_on: ['dump'], command: 'true' },
    { name: 'upload', depends_on_regexes: ['export_.*'], command: 'true' },
  ],
};

/** Takes every kind of route on its way to success. */
export const ROUTED = {
  name: 'firmware-build',
  user: 'ada',
  routing: { max_loops: 6 },
  steps: {
    compile: {
      exec: '[ "$HOLDFAST_ATTEMPT_ID" -gt 1 ] || { echo "lint: tabs and spaces" >&2; exit 2; }',
      on_fail: { run: ['format'], retry: { max: 1, backoff: { delay_ms: 0 } } },
    },
    format: { exec: 'echo formatted' },
    unit: {
      depends_on: ['compile'],
      exec: '[ "$HOLDFAST_ATTEMPT_ID" -gt 1 ] || exit 3',
      on_fail: { goto: 'compile' },
    },
    publish: { depends_on: ['unit'], exec: 'true' },
  },
};

/** Stages of which one is under way until a file is there. */
export const STAGED = {
  name: 'model-training',
  user: 'grace',
  max_parallel: 1,
  jobs: [
    { name: 'prepare_{part}', parameters: { part: '1:3' }, command: 'true' },
    {
      name: 'train_{fold}',
      parameters: { fold: '1:12' },
      depends_on_regexes: ['prepare_.*'],
      command: 'test {fold} -lt 5 || while [ ! -e stop-training ]; do sleep 0.2; done',
    },
    {
      name: 'evaluate_{fold}',
      parameters: { fold: '1:12' },
      depends_on: ['train_{fold}'],
      priority: -1,
      command: 'true',
    },
    { name: 'summary', depends_on_regexes: ['evaluate_.*'], command: 'true' },
  ],
};

/** Uses memory and a processor for a moment, with samples of it. */
export const SAMPLED = {
  name: 'image-stacking',
  user: 'ada',
  resource_monitor: { granularity: 'time_series', sample_interval_seconds: 0.25 },
  jobs: [
    {
      name: 'stack',
      memory: '256m',
      num_cpus: 1,
      command:
        "node -e 'const kept = []; const end = Date.now() + 2500; const grow = () => { kept.push(Buffer.alloc(6e6, 1)); if (Date.now() < end) setTimeout(grow, 150); }; grow()'",
    },
  ],
};

export const ENDLESS_NAME = `fit-of-all-parameters-${'x'.repeat(120)}`;
/** Names and lines without a place to break them. */
export const ENDLESS = {
  name: `survey_${'y'.repeat(150)}`,
  description: `${'z'.repeat(150)} and more words`,
  user: `u${'v'.repeat(80)}`,
  project: `p${'w'.repeat(80)}`,
  use_pending_failed: true,
  retry_defaults: { max_retries_failure: 0 },
  jobs: [
    {
      name: ENDLESS_NAME,
      command: `node -e 'console.error("E".repeat(3500)); console.error("ValueError: " + "long ".repeat(100)); console.error("the last words")'; exit 17`,
    },
    { name: `${ENDLESS_NAME}-2`, command: 'true', depends_on: [ENDLESS_NAME] },
  ],
};

/** Writes little until a file is there, then much at once, and ends. */
export const FLOOD = {
  name: 'flood-of-words',
  jobs: [
    {
      name: 'flood',
      command: `echo before the flood; while [ ! -e begin-flood ]; do sleep 0.1; done; yes "a line that is one of very many of its kind" | head -n 200000; echo after the flood`,
    },
  ],
};

/** As many kinds of failures as do not fit on a screen. */
export const MANY_KINDS = {
  name: 'many-kinds',
  use_pending_failed: true,
  retry_defaults: { max_retries_failure: 0 },
  jobs: Array.from({ length: 30 }, (_, index) => {
    const letters = String.fromCharCode(97 + Math.floor(index / 26), 97 + (index % 26));
    return {
      name: `kind_${letters}`,
      command: `echo "ValueError: no ${letters} here" >&2; exit ${index + 1}`,
    };
  }),
};
