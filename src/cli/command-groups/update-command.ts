import { HoldfastError } from '../../core/errors.ts';
import type { CommandEntry, CommandOption } from '../command-entry.ts';
import { FORCE_OPTION, ROUTING_OPTIONS } from '../options/command-options.ts';
import { SET_OPTION } from '../options/set-option.ts';

/** Of `run`. */
export const CONTINUE_OPTION: CommandOption = [
  '--continue [id]',
  'apply the edited spec to a workflow (default: the newest of its name), run only what changed',
  workflowNumber,
];

/** A spec after the option would be taken for its value, and then be missing. */
function workflowNumber(value: string): string {
  if (/^\d+$/.test(value)) return value;
  throw new HoldfastError('INVALID_ARGUMENT', {
    argument: '--continue',
    problem: `${value} is not the number of a workflow; write the spec before the option, as in \`holdfast run workflow.yaml --continue\``,
  });
}

/** For a workflow whose spec was edited. */
export const UPDATE_COMMAND: CommandEntry = {
  usage: 'update <id> <spec>',
  summary: 'apply an edited spec to a workflow, without running it',
  details:
    'Jobs that are different run again, with everything downstream of them; what completed and did not change\nkeeps its result. While a process runs the workflow, only jobs that have not started are changed.',
  options: [
    SET_OPTION,
    FORCE_OPTION,
    ...ROUTING_OPTIONS,
    ['--dry-run', 'print what would be done about which job and why, change nothing'],
  ],
  examples: ['holdfast update 3 workflow.yaml --dry-run', 'holdfast update 3 workflow.yaml'],
  load: async () => (await import('../commands/run/update.ts')).updateCommand,
};
