import type { CommandEntry } from './command-entry.ts';
import { HOUSEKEEPING_COMMANDS } from './command-groups/housekeeping-commands.ts';
import { HTCONDOR_COMMANDS } from './command-groups/htcondor-commands.ts';
import { PAUSE_COMMANDS } from './command-groups/pause-commands.ts';
import { RECOVERY_COMMANDS } from './command-groups/recovery-commands.ts';
import { REQUEST_COMMANDS } from './command-groups/request-commands.ts';
import { RETRY_COMMANDS } from './command-groups/retry-commands.ts';
import { SERVER_COMMANDS } from './command-groups/server-commands.ts';
import { SLURM_COMMANDS } from './command-groups/slurm-commands.ts';
import { SPEC_COMMANDS } from './command-groups/spec-commands.ts';
import { CONTINUE_OPTION, UPDATE_COMMAND } from './command-groups/update-command.ts';
import { SETTING_KEYS, SETTINGS } from './config/settings.ts';
import { EXEC_COMMAND } from './exec/exec-command.ts';
import {
  CWD_OPTION,
  FORCE_OPTION,
  LABEL_OPTION,
  OUTPUT_DIR_OPTION,
  REASON_OPTION,
  RECONNECT_OPTION,
  ROUTING_OPTIONS,
  RUN_OPTION,
  RUN_OPTIONS,
  SITE_OPTION,
  TIME_LIMIT_OPTIONS,
  WITH_WORKER,
} from './options/command-options.ts';
import { EXECUTOR_OPTION, LISTEN_OPTIONS } from './options/executor-option.ts';
import { SELECTION_HELP, SELECTION_OPTIONS } from './options/selection-options.ts';
import { SET_OPTION } from './options/set-option.ts';
import { UNTIL_OPTION } from './options/until-option.ts';
import { TOP_COMMAND } from './top/top-command.ts';

/** Every command of the program, in the order `help` shows them. */
export const COMMANDS: CommandEntry[] = [
  {
    usage: 'run <spec-or-id>',
    summary: 'run a spec, or resume a workflow',
    details:
      'With a server, its workers do the work and this only follows: Ctrl-C stops nothing.\n\nExit codes:\n  0    all jobs completed, or all that --until needs\n  1    something failed or was canceled\n  2    bad input, nothing was created\n  3    waiting for a decision\n  4    the server cannot be reached\n  130  interrupted, stopped by `holdfast stop`, or stopped at --time-limit or --end-time',
    options: [
      ...RUN_OPTIONS,
      LABEL_OPTION,
      SITE_OPTION,
      EXECUTOR_OPTION,
      ...LISTEN_OPTIONS,
      ...WITH_WORKER,
      CWD_OPTION,
      SET_OPTION,
      FORCE_OPTION,
      RECONNECT_OPTION,
      ...ROUTING_OPTIONS,
      ...TIME_LIMIT_OPTIONS,
      ['--debug', 'also show evaluations, backoff and loops'],
      CONTINUE_OPTION,
      UNTIL_OPTION,
      ['--report <file>', 'write a report as an HTML file at the end, as `report -o` does'],
      ['--ui', 'serve the web application on this machine while it runs'],
      ['--ui-port <n>', 'the port for that (default: one that is free)'],
      ['--dry-run', 'check the spec and print the plan, create nothing'],
    ],
    examples: [
      'holdfast run workflow.yaml',
      'holdfast run workflow.yaml -j 4',
      'holdfast run workflow.yaml --set seed=7 --set "samples=[a, b]"',
      'holdfast run workflow.yaml --continue',
      'holdfast run workflow.yaml --until merge',
      'holdfast run workflow.yaml --report report.html',
      'holdfast run workflow.yaml --ui',
      'holdfast run workflow.yaml --label gpu',
      'holdfast run 3 --end-time 18:00',
      'holdfast run workflow.yaml --on-fail-max-loops 3 --debug',
      'holdfast run workflow.yaml --server http://127.0.0.1:7600',
      'holdfast run workflow.yaml --executor slurm --host login1',
      'holdfast run 3',
    ],
    load: async () => (await import('./commands/run/run.ts')).runCommand,
  },
  EXEC_COMMAND,
  {
    usage: 'submit <spec>',
    summary: 'give a spec to a server, and return',
    details:
      'The workers of the server run it. With an idempotency key, the same spec given again is the workflow\nthat there is.',
    options: [
      ['--idempotency-key <key>', 'what makes it the same workflow when it is submitted again'],
      OUTPUT_DIR_OPTION,
      EXECUTOR_OPTION,
      CWD_OPTION,
      SET_OPTION,
      FORCE_OPTION,
      ...ROUTING_OPTIONS,
    ],
    examples: [
      'holdfast submit workflow.yaml --server http://127.0.0.1:7600',
      'holdfast submit workflow.yaml --idempotency-key nightly-2026-03-01 --output quiet',
    ],
    load: async () => (await import('./commands/run/submit.ts')).submitCommand,
  },
  UPDATE_COMMAND,
  {
    usage: 'status [id]',
    summary: 'list the workflows, or show one',
    options: [
      ['--limit <n>', 'how many workflows to list, newest first (default: 20)'],
      ['--archived', 'list the archived workflows instead'],
      ['--exit-code', 'exit as `run` would: 0, 1 or 3; 5 if it is not complete'],
    ],
    examples: [
      'holdfast status',
      'holdfast status 3',
      'holdfast status --archived',
      'holdfast status 3 --output json',
    ],
    list: ({ args }) => (args.length === 0 ? 'workflows' : undefined),
    load: async () => (await import('./commands/look/status.ts')).statusCommand,
  },
  TOP_COMMAND,
  {
    usage: 'jobs [id]',
    summary: 'list the jobs of a workflow',
    options: [
      ['--status <statuses>', 'only jobs in these statuses, separated by commas'],
      ['--name <text>', 'only jobs whose name contains this, or matches it: sim_*'],
      ['--limit <n>', 'how many jobs to list (default: 1000 in a table, otherwise all)'],
    ],
    examples: ['holdfast jobs 3', 'holdfast jobs 3 --status failed,terminated', 'holdfast jobs --name train'],
    list: () => 'jobs',
    load: async () => (await import('./commands/look/jobs.ts')).jobsCommand,
  },
  {
    usage: 'attempts [id] [job]',
    summary: 'list attempts, of all jobs or one',
    options: [RUN_OPTION],
    examples: ['holdfast attempts 3', 'holdfast attempts 3 train_1', 'holdfast attempts train_1'],
    list: () => 'attempts',
    load: async () => (await import('./commands/look/attempts.ts')).attemptsCommand,
  },
  {
    usage: 'logs <id-or-job> [job]',
    summary: 'print what a job wrote',
    details:
      '`logs bundle ID` writes one archive for a help desk: status, failures, why jobs failed, jobs as they are\nstored, lists of jobs, attempts and events, and the logs of failed attempts, with secrets masked.',
    options: [
      ['-f, --follow', 'continue until the job has ended, over all its attempts'],
      ['--stderr', 'its stderr instead of its stdout'],
      ['--both', 'its stdout, then its stderr, each below its path'],
      ['--last-error', 'the last error in stderr, or in stdout, with the lines around it'],
      ['--attempt <number>', 'this attempt (default: the newest)'],
      RUN_OPTION,
      ['--tail <lines>', 'only the last lines'],
      RECONNECT_OPTION,
      ['-o, --out <file>', 'bundle: a new file (default: workflow-ID-bundle.tar.gz)'],
      ['--max-log <size>', 'bundle: the last bytes of each log (default: 256k)'],
      ['--max-size <size>', 'bundle: of all logs together (default: 20m)'],
    ],
    examples: [
      'holdfast logs 3 train_1',
      'holdfast logs train_1 --stderr --tail 20',
      'holdfast logs train_1 --last-error',
      'holdfast logs 3 train_1 -f',
      'holdfast logs bundle 3 -o failed-run.tar.gz',
    ],
    load: async () => (await import('./commands/look/logs.ts')).logsCommand,
  },
  {
    usage: 'events [id]',
    summary: 'print the audit trail',
    options: [['--job <job>', 'only events of this job']],
    examples: ['holdfast events 3', 'holdfast events 3 --job train_1'],
    list: () => 'events',
    load: async () => (await import('./commands/look/events.ts')).eventsCommand,
  },
  {
    usage: 'explain [id-or-job] [job]',
    summary: 'why a job or a request is where it is',
    details:
      'A name alone is a job of the newest workflow or, where that has no such job, a request: `NAME`, or `NAME@2`\nfor a version. With --round or --unit it is a request, so that these explain one that a job shares its\nname with.\n\nWith --dag it reads the files of a DAG of HTCondor, written by any program, and nothing else.',
    options: [
      ['--all', 'of a job: also the rules that did not apply'],
      ['--round <number>', 'of a request: the rules checked at the end of each run of this round'],
      ['--unit <number>', 'of a request: the work, the jobs and the runs of this unit'],
      ['--dag <dir>', 'why the DAG of this directory failed, from its files alone'],
    ],
    examples: [
      'holdfast explain 3 train_1',
      'holdfast explain train_1 --all',
      'holdfast explain minbias-2026',
      'holdfast explain minbias-2026 --round 2',
      'holdfast explain minbias-2026 --unit 3',
      'holdfast explain --dag round-1',
    ],
    load: async () => (await import('./commands/look/explain.ts')).explainCommand,
  },
  {
    usage: 'failures [id]',
    summary: 'failed jobs, grouped by how they look',
    details:
      'Jobs that failed for the same cause, with the same code and the same end of stderr, have the same\nfingerprint. Each group shows how earlier decisions about it turned out.',
    options: [
      ['--all', 'all failed jobs (default)'],
      ['--pending', 'only jobs that wait for a decision'],
      ['--fingerprint <fingerprint>', 'only failures that look like this'],
      [
        '--stats',
        'past decisions instead: who made them, and how the retries ended (default: of all workflows)',
      ],
    ],
    examples: ['holdfast failures 3', 'holdfast failures 3 --pending', 'holdfast failures --stats'],
    list: ({ options }) => (options.stats === true ? 'decisions' : 'failures'),
    load: async () => (await import('./commands/decide/failures.ts')).failuresCommand,
  },
  {
    usage: 'resolve <id> [jobs...]',
    summary: 'retry or fail jobs awaiting a decision',
    details:
      'Jobs are named after --retry or --fail, or before one of them. Without --retry and --fail it asks on the\nterminal, group by group. All decisions are made, or none.',
    options: [
      ['--retry [jobs...]', 'jobs to try again; without names those of --fingerprint'],
      ['--fail [jobs...]', 'jobs to give up; without names those of --fingerprint'],
      ['--fingerprint <fingerprint>', 'all waiting jobs whose failures look like this'],
      ['--memory <size>', 'what the retries may use'],
      ['--runtime <duration>', 'how long the retries may take'],
      ['--reason <text>', 'kept in the audit trail'],
      ['--confidence <number>', 'how sure you are, from 0 to 1'],
      ['--dry-run', 'show what would be decided, without deciding'],
    ],
    examples: [
      'holdfast resolve 3',
      'holdfast resolve 3 train_1 --retry',
      'holdfast resolve 3 --retry train_1 train_2 --memory 4g --fail convert',
      'holdfast resolve 3 --fingerprint 9c5be72b13d0 --retry --reason "storage is back"',
    ],
    load: async () => (await import('./commands/decide/resolve.ts')).resolveCommand,
  },
  {
    usage: 'cancel [id] [jobs...]',
    summary: 'cancel a workflow or some of its jobs',
    details: `Without names and options, everything that has not ended. Jobs that have ended are left as they are.\n\n${SELECTION_HELP}`,
    options: [
      ...SELECTION_OPTIONS,
      REASON_OPTION,
      ['--dry-run', 'show what would be canceled, without canceling'],
    ],
    examples: [
      'holdfast cancel 3',
      'holdfast cancel 3 train_1 train_2 --reason "wrong input"',
      "holdfast cancel 3 'train_*' --status ready,blocked",
    ],
    load: async () => (await import('./commands/decide/cancel.ts')).cancelCommand,
  },
  ...PAUSE_COMMANDS,
  ...RETRY_COMMANDS,
  ...RECOVERY_COMMANDS,
  {
    usage: 'report [id]',
    summary: 'what jobs asked for and used; or an HTML file',
    details:
      'With -o, one HTML file for people without a login: summary, failures with the end of stderr and why, timeline,\nrequested and used resources with advice, routes. It has no scripts and asks for nothing over the network.',
    options: [
      ['-o, --out <file>', 'write everything about the workflow to this HTML file; replaces an older one'],
    ],
    examples: ['holdfast report 3', 'holdfast report 3 --output json', 'holdfast report 3 -o report.html'],
    list: ({ options }) => (options.out === undefined ? 'usage' : undefined),
    load: async () => (await import('./commands/look/report.ts')).reportCommand,
  },
  ...HOUSEKEEPING_COMMANDS,
  ...REQUEST_COMMANDS,
  ...SLURM_COMMANDS,
  ...HTCONDOR_COMMANDS,
  ...SERVER_COMMANDS,
  {
    usage: 'mcp',
    summary: 'serve an AI agent on stdin and stdout',
    details:
      'A Model Context Protocol server: an agent lists failed jobs, and retries or fails those that wait\nfor a decision. What it may do is set here, not in a prompt. See docs/ai-recovery.md.',
    options: [
      ['--workflow <id>', 'only this workflow; any other does not exist for the agent'],
      ['--read-only', 'no tool that changes anything'],
      [
        '--allow <tools>',
        'also update_job_resources, recover_workflow, retry_jobs, create_workflow or update_workflow, with commas',
      ],
      ['--max-decisions <n>', 'most decisions of this server (default: 100)'],
      ['--min-confidence <x>', 'from 0 to 1; decisions with less are left for a person'],
      ['--agent-name <name>', 'who decides, in the audit trail: agent:NAME (default: mcp)'],
      OUTPUT_DIR_OPTION,
    ],
    examples: [
      'holdfast mcp',
      'holdfast mcp --workflow 3 --min-confidence 0.8',
      'holdfast mcp --allow update_job_resources,recover_workflow',
    ],
    load: async () => (await import('./commands/serve/mcp.ts')).mcpCommand,
  },
  ...SPEC_COMMANDS,
  {
    usage: 'config <action>',
    summary: 'show: every setting and its origin',
    details: `The first of these that says something wins: flags, HOLDFAST_* variables,\n.holdfast/config.yaml, ~/.config/holdfast/config.yaml, defaults.\n\nKeys:\n${SETTING_KEYS.map((key) => `  ${key.padEnd(32)}${SETTINGS[key].about}`).join('\n')}`,
    options: RUN_OPTIONS,
    examples: ['holdfast config show', 'HOLDFAST_MAX_PARALLEL=2 holdfast config show'],
    list: ({ args }) => (args[0] === 'show' ? 'settings' : undefined),
    load: async () => (await import('./commands/serve/config.ts')).configCommand,
  },
  {
    usage: 'completion <shell>',
    summary: 'print the completion script of a shell',
    details:
      'Completes commands, options, files, numbers of workflows and names of jobs. Load it where your shell starts:\n  bash  eval "$(holdfast completion bash)" in ~/.bashrc\n  zsh   eval "$(holdfast completion zsh)" in ~/.zshrc, after compinit\n  fish  holdfast completion fish > ~/.config/fish/completions/holdfast.fish',
    examples: ['holdfast completion bash', 'holdfast completion zsh', 'holdfast completion fish'],
    load: async () => (await import('./completion/completion-command.ts')).completionCommand,
  },
  {
    usage: 'doctor',
    summary: 'check this machine',
    examples: ['holdfast doctor'],
    list: () => 'checks',
    load: async () => (await import('./commands/serve/doctor.ts')).doctorCommand,
  },
];
