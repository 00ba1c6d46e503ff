/** Commands by what they are for, in the order in which a newcomer meets them. */
export const COMMAND_GROUPS: readonly (readonly [task: string, commands: readonly string[]])[] = [
  ['Write', ['init', 'validate', 'plan', 'graph', 'simulate', 'schema']],
  ['Run', ['run', 'exec', 'submit', 'watch', 'update', 'reset-status', 'reinitialize']],
  ['Look', ['status', 'top', 'jobs', 'attempts', 'logs', 'events', 'failures', 'explain', 'report']],
  ['Decide', ['retry', 'resolve', 'recover', 'cancel', 'pause', 'stop', 'resume']],
  ['Campaigns', ['requests', 'sites', 'post']],
  ['Clusters', ['slurm', 'htcondor']],
  ['Serve', ['serve', 'worker', 'workers', 'token', 'notify', 'mcp']],
  ['Tidy up', ['archive', 'unarchive', 'delete', 'prune', 'backup', 'migrate', 'export', 'import']],
  ['Set up', ['doctor', 'config', 'completion', 'help']],
];

/** What `holdfast help all` prints: every command with its line, by task. */
export function helpOfAll(summaries: ReadonlyMap<string, string>): string {
  const width = Math.max(...[...summaries.keys()].map((name) => name.length)) + 2;
  return [
    'Usage: holdfast [options] COMMAND',
    ...COMMAND_GROUPS.flatMap(([task, commands]) => [
      '',
      `${task}:`,
      ...commands.map((name) => `  ${name.padEnd(width)}${summaries.get(name)}`),
    ]),
    '',
    '`holdfast help COMMAND` describes a command, with its options and examples.',
    '',
  ].join('\n');
}

/** What `holdfast` and `holdfast help` print: 24 lines of 80 columns at most. */
export function helpOverview(options: readonly (readonly [flags: string, about: string])[]): string {
  const taskWidth = Math.max(...COMMAND_GROUPS.map(([task]) => task.length)) + 2;
  const flagsWidth = Math.max(...options.map(([flags]) => flags.length)) + 2;
  return [
    'Usage: holdfast [options] COMMAND',
    '',
    'Runs batch workflows in which failure is a first-class path.',
    '',
    ...COMMAND_GROUPS.map(([task, commands]) => `  ${task.padEnd(taskWidth)}${commands.join(' ')}`),
    '',
    ...options.map(([flags, about]) => `  ${flags.padEnd(flagsWidth)}${about}`),
    '',
    'First: holdfast init && holdfast run workflow.yaml',
    '`holdfast help COMMAND` describes a command, `holdfast help all` lists them.',
    '',
  ].join('\n');
}
