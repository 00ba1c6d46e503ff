import type { CommandEntry } from '../command-entry.ts';
import { REASON_OPTION } from '../options/command-options.ts';

/** For workflows whose workers run in allocations of a cluster. */
export const SLURM_COMMANDS: CommandEntry[] = [
  {
    usage: 'slurm <action> [target] [scheduler]',
    summary: 'propose, show and steer Slurm allocations',
    details:
      'See docs/slurm.md.\n\n  generate SPEC          propose schedulers and actions from what the jobs need and what `sinfo` lists\n  plan SPEC              ask `sbatch --test-only` whether few large or many small allocations start sooner\n  regenerate ID          new schedulers for what is left of a workflow; --submit orders allocations\n  allocations [ID]       list allocations that have not ended (--all: all)\n  cancel ALLOCATION      cancel an allocation; its jobs run again, at no cost of their failure budget\n  resume ID SCHEDULER    resume a scheduler that is paused, or waits after a refusal',
    options: [
      ['--account <name>', 'generate, regenerate: the account to charge'],
      ['--partition <name>', 'generate, regenerate: use this partition (default: the one that fits best)'],
      ['-o, --out <file>', 'generate: write the completed spec (default: print it)'],
      ['--submit', 'regenerate: order the allocations'],
      ['--dry-run', 'regenerate: show the schedulers, without storing them'],
      ['--all', 'allocations: also those that have ended'],
      REASON_OPTION,
    ],
    examples: [
      'holdfast slurm generate workflow.yaml --account physics -o slurm.yaml',
      'holdfast slurm plan slurm.yaml',
      'holdfast slurm regenerate 3 --submit',
      'holdfast slurm allocations 3',
      'holdfast slurm cancel 12 --reason "wrong partition"',
      'holdfast slurm resume 3 gpu',
    ],
    list: ({ args: [action] }) =>
      action === 'allocations' ? 'allocations' : action === 'plan' ? 'shapes' : undefined,
    load: async () => (await import('../commands/slurm/slurm.ts')).slurmCommand,
  },
];
