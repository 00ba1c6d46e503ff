import type { CommandEntry } from '../command-entry.ts';
import { CWD_OPTION } from '../options/command-options.ts';

/** For pools of HTCondor. */
export const HTCONDOR_COMMANDS: CommandEntry[] = [
  {
    usage: 'htcondor <action> <spec>',
    summary: 'write a spec as a DAG for DAGMan',
    details:
      'Actions: export. Writes a directory that `condor_submit_dag` runs without Holdfast being there, but for\n`holdfast post`, which DAGMan calls after each attempt. Of a request it writes the first round. What\nDAGMan cannot do is refused, with its place. See docs/htcondor.md.',
    options: [
      ['-o, --output-directory <dir>', 'the directory to write; it must be empty, or not exist yet'],
      ['--units <n>', 'of a request: so many units (default: as the spec says of its first round)'],
      ['--hold-timeout <duration>', 'remove a job that is held for so long (default: 10m)'],
      ['--site-attribute <name>', 'attribute of machines that names their site (default: GLIDEIN_Site)'],
      CWD_OPTION,
    ],
    examples: [
      'holdfast htcondor export workflow.yaml -o dag',
      'holdfast htcondor export request.yaml -o round-1 --units 20',
      'holdfast htcondor export request.yaml -o round-1 --site-attribute GLIDEIN_CMSSite --hold-timeout 1h',
    ],
    load: async () => (await import('../commands/htcondor/htcondor.ts')).htcondorCommand,
  },
];
