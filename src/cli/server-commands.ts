import type { CommandEntry } from './command-entry.ts';
import { WORKER_OPTIONS } from './command-options.ts';

/** For many people and many machines. */
export const SERVER_COMMANDS: CommandEntry[] = [
  {
    usage: 'serve',
    summary: 'serve the state here over HTTP',
    details:
      'For many people and many machines: the API, metrics, MCP for agents. Workers come with `holdfast worker`,\nor from here with --with-worker. Addresses that others can reach need --auth token. Ends with SIGTERM\nor Ctrl-C; what was asked for by then is answered.',
    options: [
      ['--host <address>', 'where to listen; 127.0.0.1 unless told'],
      ['--port <n>', '7600 unless told; 0 takes a free one'],
      ['--auth <how>', 'none or token; none unless told, and only on a loopback address'],
      ['--allow-host <name>', 'another name of the server; can be repeated', 'repeated'],
      [
        '--trust-proxy [addresses]',
        'proxies to believe who asks, with commas; those of this machine unless told',
      ],
      [
        '--lease <duration>',
        'how long a worker that is not heard of keeps its jobs; 30s unless told, the same for all servers of a database',
      ],
      ['--log-level <level>', 'fatal, error, warn, info, debug, trace or silent; info unless told'],
      ['--with-worker', 'also run jobs on this machine'],
      ...WORKER_OPTIONS,
    ],
    examples: [
      'holdfast serve --with-worker',
      'DATABASE_URL=postgres://holdfast@db/holdfast holdfast serve --host 0.0.0.0 --auth token',
    ],
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  {
    usage: 'worker',
    summary: 'run jobs of a server on this machine',
    details:
      'Takes jobs that fit, until it is told to leave. The first SIGTERM or Ctrl-C drains it: it takes nothing\nmore and leaves when its jobs have ended; the second stops them with grace, the third kills them.\nStopped jobs are run again elsewhere, free of charge. Its jobs outlive a restart of the worker: one that\nis started again with the same --dir goes on with them.',
    options: WORKER_OPTIONS,
    examples: [
      'holdfast worker --server http://127.0.0.1:7600',
      'holdfast worker --server https://holdfast.example.org --token-file token --site lab --label gpu',
    ],
    load: async () => (await import('./commands/worker.ts')).workerCommand,
  },
  {
    usage: 'workers <action> [id]',
    summary: 'list: workers; drain: have one leave',
    options: [['--all', 'also those that have left']],
    examples: ['holdfast workers list', 'holdfast workers drain 3'],
    load: async () => (await import('./commands/workers.ts')).workersCommand,
  },
  {
    usage: 'token <action> [id]',
    summary: 'create, list or revoke tokens of a server',
    details:
      'viewers read, operators also change and run workflows, admins also make tokens. Run it where the server\nis, or with --server and the token of an admin. The secret is shown once.',
    options: [
      ['--name <name>', 'who it is for: the actor of what is done with it'],
      ['--role <role>', 'viewer, operator or admin'],
      ['--expires <duration>', 'how long it is valid, e.g. 30d; until it is revoked unless told'],
    ],
    examples: [
      'holdfast token create --name ada --role operator --expires 30d',
      'holdfast token list',
      'holdfast token revoke 2',
    ],
    load: async () => (await import('./commands/token.ts')).tokenCommand,
  },
];
