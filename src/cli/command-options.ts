import type { CommandOption } from './command-entry.ts';
import { SETTINGS } from './config/settings.ts';

/** Options that are also configuration keys. */
export const RUN_OPTIONS: CommandOption[] = [
  ['--output-dir <dir>', SETTINGS.output_dir.about],
  ['-j, --max-parallel <n>', SETTINGS.max_parallel.about],
  ['--cpus <n>', SETTINGS.cpus.about],
  ['--memory <size>', SETTINGS.memory.about],
  ['--gpus <n>', SETTINGS.gpus.about],
  ['--keep-work <which>', SETTINGS.keep_work.about],
  ['--grace <duration>', SETTINGS.grace.about],
];

export const WITH_WORKER: CommandOption = [
  '--with-worker',
  'with a server: run jobs of it on this machine, too',
];

/** For workflows that a server has run. */
export const CWD_OPTION: CommandOption = [
  '--cwd <dir>',
  'where jobs run; a relative one is seen from where each worker was started',
];

export const RECOVERY_OPTIONS: CommandOption[] = [
  ['--memory-multiplier <factor>', 'how much more memory after running out of it; 1.5 unless told'],
  ['--runtime-multiplier <factor>', 'how much more time after a timeout; 1.5 unless told'],
  [
    '--max-memory <size>',
    'most memory a job is given; what this machine offers unless told or a server has workers',
  ],
  ['--max-runtime <duration>', 'longest time a job is given'],
  ['--retry-unknown', 'also try again what failed for an unknown cause'],
  ['--recovery-hook <command>', 'run before anything is retried; if it fails nothing is changed'],
  ['--ai-recovery', 'ask an agent about what is left'],
  ['--ai-agent <name>', SETTINGS.ai_agent.about],
  ['--ai-timeout <duration>', SETTINGS.ai_timeout.about],
  ['--min-confidence <number>', 'from 0 to 1; decisions of the agent below it are left for a person'],
  ['--max-decisions <n>', 'most decisions of the agent each time it is asked; 100 unless told'],
];

export const WORKER_OPTIONS: CommandOption[] = [
  ['--site <name>', 'where the worker is; local unless told'],
  ['--label <label>', 'what the worker is marked with; can be repeated', 'repeated'],
  ...RUN_OPTIONS.slice(1),
  ['--drain-timeout <duration>', 'how long running jobs may take when it drains; 60s unless told'],
];

export const ROUTING_OPTIONS: CommandOption[] = [
  ['--on-fail-max-loops <n>', 're-attempts and jumps in each scope, instead of max_loops'],
  ['--retry-max <n>', 'most re-attempts of on_fail, whatever the spec says'],
  ['--no-failure-routing', 'ignore on_fail, on_success and routing'],
  ['--context <file>', 'JSON with what code sees as pr and files'],
];

export const RUN_OPTION: CommandOption = ['--run <number>', 'only this run'];
