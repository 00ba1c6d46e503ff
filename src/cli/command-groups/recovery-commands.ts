import type { CommandEntry } from '../command-entry.ts';
import {
  LABEL_OPTION,
  RECONNECT_OPTION,
  RECOVERY_OPTIONS,
  RUN_OPTIONS,
  WITH_WORKER,
} from '../options/command-options.ts';
import { AUTO_SCHEDULE_OPTIONS } from '../slurm/auto-schedule-flags.ts';

/** For new runs: of what is out of date or failed for lack of resources; and for runs that nobody watches. */
export const RECOVERY_COMMANDS: CommandEntry[] = [
  {
    usage: 'reinitialize <id>',
    summary: 'begin a new run with what is out of date',
    details:
      'Compares declared files with what the jobs read and wrote. A job runs again if one of its inputs\nchanged, if one of its outputs is missing or was changed after it ran, if it did not succeed, or\nif a job that it depends on runs again. A file that was touched and is equal did not change.\nRefused while a process drives the run.',
    options: [
      ['--dry-run', 'show what would be reset, without resetting'],
      ['--cwd <path>', 'where the files are (default: where the workflow runs)'],
      ['--force', 'reset even if an input does not exist that no job writes'],
    ],
    examples: ['holdfast reinitialize 3 --dry-run', 'holdfast reinitialize 3 && holdfast run 3'],
    load: async () => (await import('../commands/decide/reinitialize.ts')).reinitializeCommand,
  },
  {
    usage: 'recover [id]',
    summary: 'retry what failed for lack of resources',
    details:
      'What ran out of memory or time is tried again with more of it. Jobs that wait for a decision continue in\nthe same run; if the run is complete, a new one begins with the jobs that are tried again. No job is\nrun here: `holdfast run ID` does that.',
    options: [...RECOVERY_OPTIONS, ['--dry-run', 'show what would be tried again, change nothing']],
    examples: [
      'holdfast recover 3 --dry-run',
      'holdfast recover 3 --memory-multiplier 2 --max-memory 64g',
      'holdfast recover 3 --ai-recovery --min-confidence 0.8',
    ],
    load: async () => (await import('../commands/decide/recover.ts')).recoverCommand,
  },
  {
    usage: 'watch [id]',
    summary: 'follow a run to its end, recover it',
    details:
      'Without --recover it only follows. With it the run is driven here if no other process does, and failures are\nrecovered until nothing more can be done. It stays while a decision is open. Exit codes as of `run`.\n\nWith --output json each line is an object: {"event": …} as it happens, {"result": …} at the end.',
    options: [
      ['--recover', 'run it, and try again what failed'],
      LABEL_OPTION,
      ...WITH_WORKER,
      ['--max-rounds <n>', 'how often to recover known causes and to ask an agent (default: 3)'],
      ...RECOVERY_OPTIONS,
      ['--exit-when-waiting', 'exit with 3 when only decisions are left'],
      ...AUTO_SCHEDULE_OPTIONS,
      RECONNECT_OPTION,
      ...RUN_OPTIONS.slice(1),
    ],
    examples: [
      'holdfast watch 3',
      'holdfast watch 3 --recover',
      'holdfast watch 3 --recover --ai-recovery --exit-when-waiting',
      'holdfast watch 3 --recover --auto-schedule --auto-schedule-threshold 10',
    ],
    load: async () => (await import('../commands/run/watch.ts')).watchCommand,
  },
];
