import type { CommandEntry } from '../command-entry.ts';
import { WORKER_OPTIONS, WORKER_PLACE_OPTIONS } from '../options/command-options.ts';

/** For many people and many machines. */
export const SERVER_COMMANDS: CommandEntry[] = [
  {
    usage: 'serve',
    summary: 'serve the state here over HTTP',
    details:
      'For many people and many machines: the API, metrics, MCP for agents. Workers come with `holdfast worker`,\nor from here with --with-worker. Addresses that others can reach need --auth token. Ends with SIGTERM\nor Ctrl-C; what was asked for by then is answered.',
    options: [
      ['--host <address>', 'address to listen on (default: 127.0.0.1)'],
      ['--port <n>', 'port to listen on; 0 takes a free one (default: 7600)'],
      ['--auth <how>', 'none or token; none is for a loopback address only (default: none)'],
      ['--allow-host <name>', 'another name of the server; can be repeated', 'repeated'],
      [
        '--trust-proxy [addresses]',
        'proxies whose forwarded addresses are trusted, with commas (default: those of this machine)',
      ],
      ['--log-level <level>', 'fatal, error, warn, info, debug, trace or silent (default: info)'],
      ['--with-worker', 'also run jobs on this machine'],
      ...WORKER_OPTIONS,
    ],
    examples: [
      'holdfast serve --with-worker',
      'DATABASE_URL=postgres://holdfast@db/holdfast holdfast serve --host 0.0.0.0 --auth token',
    ],
    load: async () => (await import('../commands/serve/serve.ts')).serveCommand,
  },
  {
    usage: 'worker',
    summary: 'run jobs of a server on this machine',
    details:
      'Takes jobs that fit, until it is drained. The first SIGTERM or Ctrl-C drains it: it takes nothing\nmore and leaves when its jobs have ended; the second stops them with grace, the third kills them.\nStopped jobs are run again elsewhere, free of charge. Its jobs outlive a restart of the worker: one that\nis started again with the same --dir takes them over.\n\nIn an allocation of a cluster (--allocation) SIGTERM means that the allocation is being ended: no end of a\njob is believed from then on, nor one of the last second; the jobs are lost, or timed out if the time of the\nallocation is over, and run again elsewhere. Its state is in slurm/TAG/node-N-R of --dir.',
    options: [...WORKER_OPTIONS, ...WORKER_PLACE_OPTIONS],
    // Workers in two directories of a project are two workers.
    ownState: true,
    examples: [
      'holdfast worker --server http://127.0.0.1:7600',
      'holdfast worker --server https://holdfast.example.org --token-file token --site lab --label gpu',
      'holdfast worker --server http://head:7600 --workflow 3 --idle-timeout 10m',
      'holdfast worker --server http://head:7600 --workflow 3 --allocation slurm',
    ],
    load: async () => (await import('../commands/serve/worker.ts')).workerCommand,
  },
  {
    usage: 'notify <action> [name]',
    summary: 'test: send a test message to targets of the configuration',
    details:
      'Sends one message to every target under `notify` of the configuration, or to the one that is named, and\nreports what the receivers answered. Exits with 1 if one of them did not accept it.',
    examples: ['holdfast notify test', 'holdfast notify test ops'],
    list: () => 'checks',
    load: async () => (await import('../commands/serve/notify.ts')).notifyCommand,
  },
  {
    usage: 'workers [action] [id]',
    summary: 'list workers, drain one, declare one lost',
    details:
      'A worker that has been silent for 30 s is suspect; it keeps its jobs until its lease ends. `lost` is for\na worker that is known to be dead: its jobs are lost at once, and run elsewhere.',
    options: [['--all', 'also those that have left']],
    examples: ['holdfast workers list', 'holdfast workers drain 3', 'holdfast workers lost 3'],
    list: ({ args }) => ((args[0] ?? 'list') === 'list' ? 'workers' : undefined),
    load: async () => (await import('../commands/serve/workers.ts')).workersCommand,
  },
  {
    usage: 'token [action] [id]',
    summary: 'create, list or revoke tokens of a server',
    details:
      'A viewer reads. An operator also submits and changes workflows. A worker runs jobs, and does nothing else.\nAn admin does all of this and creates tokens. Run it where the server is, or with --server and the token of\nan admin. The secret is shown once.',
    options: [
      ['--name <name>', 'who it is for: the actor of what is done with it'],
      ['--role <role>', 'viewer, worker, operator or admin'],
      ['--expires <duration>', 'how long it is valid, e.g. 30d (default: until it is revoked)'],
    ],
    examples: [
      'holdfast token create --name ada --role operator --expires 30d',
      'holdfast token create --name cluster-a --role worker',
      'holdfast token list',
      'holdfast token revoke 2',
    ],
    list: ({ args }) => ((args[0] ?? 'list') === 'list' ? 'tokens' : undefined),
    load: async () => (await import('../commands/serve/token.ts')).tokenCommand,
  },
];
