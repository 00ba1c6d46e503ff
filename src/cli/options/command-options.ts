import type { CommandOption } from '../command-entry.ts';
import { SETTINGS } from '../config/settings.ts';

/** What a setting is for, with its default as `config show` prints it. */
function settingText<T>({
  about,
  default: standard,
  show,
}: {
  about: string;
  default: () => T;
  show: (value: T) => string;
}): string {
  // `10m`, as people write it, not `10m00s`.
  return `${about} (default: ${show(standard()).replace(/m00s$/, 'm')})`;
}

const ALL = '(default: all of the machine)';

export const OUTPUT_DIR_OPTION: CommandOption = ['--output-dir <dir>', settingText(SETTINGS.output_dir)];

/** Options that are also configuration keys. */
export const RUN_OPTIONS: CommandOption[] = [
  OUTPUT_DIR_OPTION,
  ['-j, --max-parallel <n>', settingText(SETTINGS.max_parallel)],
  ['--cpus <n>', `${SETTINGS.cpus.about} ${ALL}`],
  ['--memory <size>', `${SETTINGS.memory.about} ${ALL}`],
  ['--gpus <n>', settingText(SETTINGS.gpus)],
  ['--keep-work <which>', settingText(SETTINGS.keep_work)],
  ['--grace <duration>', settingText(SETTINGS.grace)],
];

export const WITH_WORKER: CommandOption[] = [
  ['--with-worker', 'with a server: run jobs of it on this machine, too'],
  ['--worker-token-file <file>', SETTINGS.worker_token_file.about],
];

/** For workflows that a server has run. */
export const CWD_OPTION: CommandOption = [
  '--cwd <dir>',
  'where jobs run; a relative one is seen from where each worker was started',
];

export const TIME_LIMIT_OPTIONS: CommandOption[] = [
  ['--time-limit <duration>', 'stop cleanly after so long, e.g. 2h'],
  ['--end-time <time>', 'stop cleanly before this local time, e.g. 18:00 or 2026-03-01T18:00'],
];

export const REASON_OPTION: CommandOption = ['--reason <text>', 'kept in the audit trail'];

export const RECOVERY_OPTIONS: CommandOption[] = [
  ['--memory-multiplier <factor>', 'factor for the memory of jobs that ran out of it (default: 1.5)'],
  ['--runtime-multiplier <factor>', 'factor for the time limit of jobs that timed out (default: 1.5)'],
  [
    '--max-memory <size>',
    'most memory a job is given (default: what this machine offers; with a server none)',
  ],
  ['--max-runtime <duration>', 'longest time a job is given'],
  ['--retry-unknown', 'also try again what failed for an unknown cause'],
  ['--recovery-hook <command>', 'run before anything is retried; if it fails nothing is changed'],
  ['--ai-recovery', 'ask an agent about what is left'],
  ['--ai-agent <name>', settingText(SETTINGS.ai_agent)],
  ['--ai-timeout <duration>', settingText(SETTINGS.ai_timeout)],
  ['--min-confidence <number>', 'from 0 to 1; decisions of the agent below it are left for a person'],
  ['--max-decisions <n>', 'most decisions of the agent in one round (default: 100)'],
];

export const RECONNECT_OPTION: CommandOption = [
  '--reconnect-timeout <duration>',
  'with a server: how long to follow through an outage of it before exit 4 (default: 10m)',
];

export const LABEL_OPTION: CommandOption = [
  '--label <label>',
  'run jobs with this label, too; can be repeated',
  'repeated',
];

export const SITE_OPTION: CommandOption = ['--site <name>', 'site of this machine (default: local)'];

export const WORKER_OPTIONS: CommandOption[] = [
  SITE_OPTION,
  LABEL_OPTION,
  ...RUN_OPTIONS.slice(1),
  ['--lease <duration>', settingText(SETTINGS.lease)],
  ['--drain-timeout <duration>', 'how long running jobs may take when it drains (default: 60s)'],
];

/** For what a worker works, and where. */
export const WORKER_PLACE_OPTIONS: CommandOption[] = [
  ['--workflow <id>', 'run only jobs of this workflow, and leave when it is complete'],
  ['--stay', 'with --workflow: wait for more when the workflow is complete'],
  ['--idle-timeout <duration>', 'leave after so long without work (default: never; in an allocation 5m)'],
  [
    '--start-within <duration>',
    'register at a random time within it (default: at once; 50ms for each worker that srun starts together)',
  ],
  ['--allocation <cluster>', 'slurm: run in a job of Slurm, use what it has, and leave before it ends'],
  ['--tag <tag>', 'in an allocation: what the server calls the allocation'],
  ['--take-until <duration>', 'in an allocation: take nothing from so long before its end (default: 60s)'],
  [
    '--end-before <duration>',
    'in an allocation: end running jobs, as timed out, so long before its end (default: 30s)',
  ],
];

export const ROUTING_OPTIONS: CommandOption[] = [
  ['--on-fail-max-loops <n>', 're-attempts and jumps in each scope, instead of max_loops'],
  ['--retry-max <n>', 'most re-attempts of on_fail, whatever the spec says (0: none)'],
  ['--no-failure-routing', 'ignore on_fail, on_success and routing'],
  ['--context <file>', 'JSON with what code sees as pr and files'],
];

export const FORCE_OPTION: CommandOption = [
  '--force',
  'run even if an input that no job writes does not exist',
];

export const RUN_OPTION: CommandOption = ['--run <number>', 'only this run'];
