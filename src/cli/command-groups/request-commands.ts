import type { CommandEntry } from '../command-entry.ts';
import { LABEL_OPTION, REASON_OPTION, RUN_OPTIONS, SITE_OPTION } from '../options/command-options.ts';
import type { ListName } from '../texts/lists/list-columns.ts';

const LISTS = new Map<string, ListName>([
  ['list', 'requests'],
  ['units', 'units'],
  ['items', 'items'],
  ['history', 'history'],
]);

/** For work that is split into units and worked off in rounds. */
export const REQUEST_COMMANDS: CommandEntry[] = [
  {
    usage: 'requests [action] [name]',
    summary: 'list requests, show or steer one',
    details:
      'Actions: list, show, errors, units, items, history, release, fail, restart, stop, pause, resume, run, import.\n`name` is the newest version of a request, `name@2` an older one. See docs/requests.md.\n\n  release  continue a held request with its next round, with changes if any are given\n  fail     give a request up: what runs is canceled, its outputs are invalidated\n  restart  fail it and submit it again as the next version\n  stop     end running jobs free of charge; finished units are kept, and it returns to the queue\n  pause    keep it out of the queue until `resume`\n  run      work on a request here, where no server does\n  import   store what the files of a DAG of HTCondor say, as a request that has failed, to look at it\n\nExit codes of `run`: 0 completed, 1 failed, 3 held or paused, 130 interrupted (a clean stop).',
    options: [
      ['--state <states>', 'list: only requests in these states, separated by commas'],
      ['--round <number>', 'errors, units: this round (default: errors of the newest, units of all)'],
      REASON_OPTION,
      ['--ban <site>', 'release: avoid this site; can be repeated', 'repeated'],
      ['--exclude <item>', 'release: do not process this item; can be repeated', 'repeated'],
      ['--retries <n>', 'release: retries of processing jobs'],
      ['--threshold <share>', 'release: hold from this share of failed units on, from 0 to 1'],
      ['--rescues <n>', 'release: rescues before the request is held'],
      ['--dag <dir>', 'import: directory of the DAG, or its .dag file'],
      ['--pause', 'stop: stay out of the queue afterwards'],
      ['--dry-run', 'show what would be changed, without changing it'],
      ...RUN_OPTIONS.slice(1),
      LABEL_OPTION,
      SITE_OPTION,
    ],
    examples: [
      'holdfast requests list --state HELD',
      'holdfast requests show minbias-2026',
      'holdfast requests errors minbias-2026',
      'holdfast requests release minbias-2026 --ban north --memory 6g --reason "north is out of disk"',
      'holdfast requests run minbias-2026',
      'holdfast requests import --dag ~/dags/round-1',
    ],
    list: ({ args: [action = 'list'] }) => LISTS.get(action),
    load: async () => (await import('../commands/requests/requests.ts')).requestsCommand,
  },
  {
    usage: 'sites [action] [site]',
    summary: 'list sites, keep work away from one',
    details: 'Actions: list, ban, unban. A ban affects new claims at once; running jobs are left alone.',
    options: [
      ['--request <name>', 'ban, unban: only for this request'],
      ['--duration <duration>', 'ban: how long (default: 7d)'],
      REASON_OPTION,
    ],
    examples: [
      'holdfast sites list',
      'holdfast sites ban north --reason "storage is down" --duration 2d',
      'holdfast sites unban north',
    ],
    list: ({ args: [action = 'list'] }) => (action === 'list' ? 'sites' : undefined),
    load: async () => (await import('../commands/requests/sites.ts')).sitesCommand,
  },
];
