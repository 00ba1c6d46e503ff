import type { CommandEntry } from '../command-entry.ts';
import { REASON_OPTION } from '../options/command-options.ts';

/** What keeps jobs of a workflow from being started, and what ends that. */
export const PAUSE_COMMANDS: CommandEntry[] = [
  {
    usage: 'pause [id]',
    summary: 'start no more jobs of a workflow',
    details: 'Running jobs finish, and so do their post and recovery scripts. Retries that fall due wait.',
    options: [REASON_OPTION],
    examples: ['holdfast pause 3', 'holdfast pause 3 --reason "maintenance"'],
    load: async () => (await import('../commands/decide/pause.ts')).pauseCommand,
  },
  {
    usage: 'stop [id]',
    summary: 'pause a workflow and end what runs',
    details:
      'Running attempts are ended with grace, free of charge, and their jobs are ready again: a stop is no\ncancel. A `run` that drives or follows the workflow exits with 130.',
    options: [REASON_OPTION],
    examples: ['holdfast stop 3', 'holdfast stop 3 --reason "the disk is being replaced"'],
    load: async () => (await import('../commands/decide/pause.ts')).stopCommand,
  },
  {
    usage: 'resume [id]',
    summary: 'resume a paused or stopped workflow',
    details: 'Workers of a server continue at once; without a server, `holdfast run ID` resumes it as well.',
    options: [REASON_OPTION],
    examples: ['holdfast resume 3'],
    load: async () => (await import('../commands/decide/pause.ts')).resumeCommand,
  },
];
