import type { CommandEntry } from '../command-entry.ts';
import { SELECTION_HELP, SELECTION_OPTIONS } from '../options/selection-options.ts';

/** Jobs run again: in the same run, or in a new one. */
export const RETRY_COMMANDS: CommandEntry[] = [
  {
    usage: 'retry [id-or-job] [jobs...]',
    summary: 'retry jobs that failed or hang',
    details: `The jobs run again in the same run, and dependents that were canceled because of them wait for them\nagain. All of them are retried, or none: a job that is named and cannot be retried is an error; patterns and\noptions leave out what cannot be. The attempt of a running job is ended first and counts as a failure; it\ntakes its name or --status running. A job that is waiting for a decision is not retried this way: see resolve.\n\nWith --from, jobs start over that may also have completed: in a new run if the workflow is complete,\notherwise in the same run, where attempts that run now are ended first. --only leaves alone what is downstream.\n\n${SELECTION_HELP}`,
    options: [
      ...SELECTION_OPTIONS,
      ['--max-retries <n>', 'only jobs that have had fewer attempts than this'],
      ['--reason <text>', 'recorded with the retry'],
      ['--dry-run', 'show what would be retried, change nothing'],
    ],
    examples: [
      'holdfast retry 3 train_1',
      'holdfast retry 3 train_1 --reason "it hangs"',
      "holdfast retry 3 'train_*' --failed",
      'holdfast retry 3 --fingerprint 9c5be72b13d0 --dry-run',
      'holdfast retry 3 --from prepare',
    ],
    load: async () => (await import('../commands/decide/retry.ts')).retryCommand,
  },
  {
    usage: 'reset-status <id> [jobs...]',
    summary: 'begin a new run, with fresh budgets',
    details: `All jobs start over, or those that are named with everything downstream of them. Attempts and logs of\nearlier runs are kept. Refused while a process drives the run.\n\n${SELECTION_HELP}`,
    options: [
      ['--failed-only', 'only jobs that did not succeed, and everything downstream of them'],
      ...SELECTION_OPTIONS,
      ['--dry-run', 'show what would be reset, change nothing'],
    ],
    examples: [
      'holdfast reset-status 3 --failed-only',
      "holdfast reset-status 3 'train_*' --dry-run",
      'holdfast reset-status 3 report --only',
    ],
    load: async () => (await import('../commands/decide/reset-status.ts')).resetStatusCommand,
  },
];
