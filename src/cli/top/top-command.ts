import type { CommandEntry } from '../command-entry.ts';

export const TOP_COMMAND: CommandEntry = {
  usage: 'top [id]',
  summary: 'look at everything, full screen',
  details:
    'For terminals of 80x24 and more, also over SSH: workflows, jobs with filters, what runs, failures, events,\nworkers, requests, explanations and logs. Keys retry, fail, cancel, recover, release and stop; each shows first what it would do,\nand asks. `?` lists the keys. Quitting stops nothing.',
  examples: ['holdfast top', 'holdfast top 3', 'holdfast top --server http://127.0.0.1:7600'],
  load: async () => (await import('../commands/look/top.ts')).topCommand,
};
