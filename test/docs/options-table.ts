import type { CommandOption } from '../../src/cli/command-entry.ts';
import type { COMMAND_GROUPS } from '../../src/cli/help-overview.ts';

/** A table of Markdown, with columns as wide as their longest cell. */
function tableText(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** The options of a command, from what `help` prints. */
function optionsTable(options: readonly CommandOption[]): string {
  return tableText(
    ['option', 'meaning'],
    options.map(([flags, about]) => [flagsCell(flags), about.replaceAll('|', '\\|')]),
  );
}

/** `-j, --max-parallel <n>` becomes two words in backticks, with `N`. */
function flagsCell(flags: string): string {
  const named = flags.replace(/<([^>]+)>/g, (_, name: string) => name.toUpperCase());
  const shown = named.replace(/\[([^\]]+)\]/g, (_, name: string) => `[${name.toUpperCase()}]`);
  return shown
    .split(', ')
    .map((flag) => `\`${flag}\``)
    .join(', ');
}

const TABLE = /^\| option +\| meaning +\|$(?:\n\|.*\|$)*/m;

/** The section of a command with the table that belongs there. */
export function withOptionsTable(section: string, options: readonly CommandOption[]): string {
  if (options.length > 0 && !TABLE.test(section)) throw new Error('it has no table of options');
  return section.replace(TABLE, optionsTable(options));
}

const TASKS = /^\| task +\| commands +\|$(?:\n\|.*\|$)*/m;

/** The head of the page with its commands by task, each linked to its section. */
export function withTasksTable(head: string, groups: typeof COMMAND_GROUPS): string {
  if (!TASKS.test(head)) throw new Error('it has no table of tasks');
  const rows = groups.map(([task, commands]) => [
    task,
    commands.map((name) => `[${name}](#${name})`).join(', '),
  ]);
  return head.replace(TASKS, tableText(['task', 'commands'], rows));
}
