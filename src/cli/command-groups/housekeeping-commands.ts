import type { CommandEntry } from '../command-entry.ts';
import { OUTPUT_DIR_OPTION, REASON_OPTION } from '../options/command-options.ts';

/** What keeps a state directory or a database small and safe. */
export const HOUSEKEEPING_COMMANDS: CommandEntry[] = [
  {
    usage: 'delete <ids...>',
    summary: 'delete workflows with their history',
    details:
      'Jobs, attempts, events, logs and work directories are removed; what jobs wrote elsewhere stays. Nothing is\ndeleted while something of it runs. Rounds of requests stay: the ledger of the request needs them.',
    options: [['--dry-run', 'show what would be deleted, without deleting']],
    examples: ['holdfast delete 3 --dry-run', 'holdfast delete 3 4 5'],
    load: async () => (await import('../commands/housekeeping/delete.ts')).deleteCommand,
  },
  {
    usage: 'prune',
    summary: 'delete old workflows',
    details:
      'Deletes complete workflows as `delete` does. With both options a workflow must be older, and not among the\nnewest. Archived workflows, rounds of requests and what is not complete stay.',
    options: [
      ['--older-than <duration>', 'only workflows that ended longer ago, e.g. 30d'],
      ['--keep <n>', 'keep so many of the last to end'],
      ['--status <statuses>', 'only completed, failed or canceled ones, separated by commas'],
      ['--dry-run', 'show what would be deleted, without deleting'],
    ],
    examples: [
      'holdfast prune --older-than 30d --dry-run',
      'holdfast prune --older-than 7d --keep 20',
      'holdfast prune --keep 0 --status canceled',
    ],
    load: async () => (await import('../commands/housekeeping/prune.ts')).pruneCommand,
  },
  {
    usage: 'archive <ids...>',
    summary: 'hide complete workflows from lists',
    details:
      'Everything of an archived workflow can be read as before, and `prune` leaves it alone. A job of it that is\nretried brings it back into the lists.',
    options: [REASON_OPTION],
    examples: ['holdfast archive 3', 'holdfast status --archived'],
    load: async () => (await import('../commands/housekeeping/archive.ts')).archiveCommand,
  },
  {
    usage: 'unarchive <ids...>',
    summary: 'show archived workflows in lists again',
    options: [REASON_OPTION],
    examples: ['holdfast unarchive 3'],
    load: async () => (await import('../commands/housekeeping/archive.ts')).unarchiveCommand,
  },
  {
    usage: 'backup <file>',
    summary: 'copy the state to one file, while it is used',
    details:
      'A consistent copy of the SQLite database, as `holdfast.db` of a new state directory. Logs of jobs are files\nof their own, in the output directory. PostgreSQL has `pg_dump`.',
    examples: ['holdfast backup holdfast-backup.db'],
    load: async () => (await import('../commands/housekeeping/backup.ts')).backupCommand,
  },
  {
    usage: 'migrate',
    summary: 'upgrade the database of an older version',
    details:
      'For PostgreSQL: stop the servers and workers that use it, and back it up with `pg_dump` first. Without this\ncommand an older database is refused. A SQLite database is upgraded by the first command that opens it,\nwith a copy beside it. A database of a newer version is refused.',
    examples: ['holdfast migrate'],
    load: async () => (await import('../commands/housekeeping/migrate.ts')).migrateCommand,
  },
  {
    usage: 'export [id]',
    summary: 'write a workflow with its history to one file',
    details:
      'Jobs, runs, attempts, decisions, events, files by content and the last 256 KB of each log, as `import` reads\nthem, whatever database either state is in. Nothing of it may run meanwhile. Environments of jobs are in\nthe file as they are, which only its owner can read. Run it where the state is, not with --server.',
    options: [['-o, --out <file>', 'a new file (default: workflow-ID.holdfast.gz)']],
    examples: ['holdfast export 3 -o nightly.holdfast.gz'],
    load: async () => (await import('../commands/housekeeping/export.ts')).exportCommand,
  },
  {
    usage: 'import <file>',
    summary: 'store an exported workflow',
    details:
      'It gets a new number and keeps its history. Nothing of it runs before `holdfast run ID`; attempts that ran\nwhen it was exported are lost. A file that is damaged, cut off, or from a newer Holdfast is refused, and\nnothing is changed. Commands in it are as trustworthy as the file.',
    options: [
      ['--cwd <dir>', 'where its jobs run (default: the current directory)'],
      OUTPUT_DIR_OPTION,
      ['--shared', 'for the workers of the server that uses this database; it is paused until it is resumed'],
      ['--max-size <size>', 'refuse a file that unpacks to more (default: 8g)'],
    ],
    examples: ['holdfast import nightly.holdfast.gz', 'holdfast import nightly.holdfast.gz --cwd ~/nightly'],
    load: async () => (await import('../commands/housekeeping/import.ts')).importCommand,
  },
];
