import type { CommandEntry } from './command-entry.ts';
import {
  CWD_OPTION,
  RECOVERY_OPTIONS,
  ROUTING_OPTIONS,
  RUN_OPTION,
  RUN_OPTIONS,
  WITH_WORKER,
} from './command-options.ts';
import { SETTING_KEYS, SETTINGS } from './config/settings.ts';
import { SERVER_COMMANDS } from './server-commands.ts';

/** Every command of the program, in the order `help` shows them. */
export const COMMANDS: CommandEntry[] = [
  {
    usage: 'run <spec-or-id>',
    summary: 'run a spec, or go on with a workflow',
    details:
      'With a server, its workers do the work and this only follows: Ctrl-C stops nothing.\n\nExit codes:\n  0    all jobs completed\n  1    something failed or was canceled\n  2    bad input, nothing was created\n  3    waiting for a decision\n  130  interrupted',
    options: [
      ...RUN_OPTIONS,
      WITH_WORKER,
      CWD_OPTION,
      ...ROUTING_OPTIONS,
      ['--debug', 'tell evaluations, backoff and loops with the routes'],
      ['--dry-run', 'check the spec and print the plan, create nothing'],
    ],
    examples: [
      'holdfast run workflow.yaml',
      'holdfast run workflow.yaml -j 4',
      'holdfast run workflow.yaml --on-fail-max-loops 3 --debug',
      'holdfast run workflow.yaml --server http://127.0.0.1:7600',
      'holdfast run 3',
    ],
    load: async () => (await import('./commands/run.ts')).runCommand,
  },
  {
    usage: 'submit <spec>',
    summary: 'give a spec to a server, and return',
    details:
      'The workers of the server run it. With an idempotency key, the same spec given again is the workflow\nthat there is.',
    options: [
      ['--idempotency-key <key>', 'what makes it the same workflow when it is submitted again'],
      ['--output-dir <dir>', SETTINGS.output_dir.about],
      CWD_OPTION,
      ...ROUTING_OPTIONS,
    ],
    examples: [
      'holdfast submit workflow.yaml --server http://127.0.0.1:7600',
      'holdfast submit workflow.yaml --idempotency-key nightly-2026-03-01 --output quiet',
    ],
    load: async () => (await import('./commands/submit.ts')).submitCommand,
  },
  {
    usage: 'status [id]',
    summary: 'list the workflows, or show one',
    options: [['--limit <n>', 'how many workflows to list; the newest 20 unless told']],
    examples: ['holdfast status', 'holdfast status 3', 'holdfast status 3 --output json'],
    load: async () => (await import('./commands/status.ts')).statusCommand,
  },
  {
    usage: 'jobs [id]',
    summary: 'list the jobs of a workflow',
    options: [
      ['--status <statuses>', 'only jobs in these statuses, separated by commas'],
      ['--name <text>', 'only jobs whose name contains this'],
    ],
    examples: ['holdfast jobs 3', 'holdfast jobs 3 --status failed,terminated', 'holdfast jobs --name train'],
    load: async () => (await import('./commands/jobs.ts')).jobsCommand,
  },
  {
    usage: 'attempts [id] [job]',
    summary: 'list attempts, of all jobs or one',
    options: [RUN_OPTION],
    examples: ['holdfast attempts 3', 'holdfast attempts 3 train_1', 'holdfast attempts train_1'],
    load: async () => (await import('./commands/attempts.ts')).attemptsCommand,
  },
  {
    usage: 'logs <id-or-job> [job]',
    summary: 'print what a job wrote',
    options: [
      ['-f, --follow', 'go on until the job has ended, over all its attempts'],
      ['--stderr', 'its stderr instead of its stdout'],
      ['--attempt <number>', 'this attempt; the newest unless told'],
      RUN_OPTION,
      ['--tail <lines>', 'only the last lines'],
    ],
    examples: [
      'holdfast logs 3 train_1',
      'holdfast logs train_1 --stderr --tail 20',
      'holdfast logs 3 train_1 -f',
    ],
    load: async () => (await import('./commands/logs.ts')).logsCommand,
  },
  {
    usage: 'events [id]',
    summary: 'print the audit trail',
    options: [['--job <job>', 'only events of this job']],
    examples: ['holdfast events 3', 'holdfast events 3 --job train_1'],
    load: async () => (await import('./commands/events.ts')).eventsCommand,
  },
  {
    usage: 'explain <id-or-job> [job]',
    summary: 'why a job waits, was retried or failed',
    examples: ['holdfast explain 3 train_1', 'holdfast explain train_1'],
    load: async () => (await import('./commands/explain.ts')).explainCommand,
  },
  {
    usage: 'failures [id]',
    summary: 'failed jobs, grouped by what they look like',
    details:
      'Jobs that failed for the same cause, with the same code and the same end of stderr, have the same\nfingerprint. What became of earlier decisions about it is told with each group.',
    options: [
      ['--all', 'all failed jobs; so it is unless told'],
      ['--pending', 'only jobs that wait for a decision'],
      ['--fingerprint <fingerprint>', 'only failures that look like this'],
      [
        '--stats',
        'past decisions instead, who made them and what became of them; of all workflows unless told',
      ],
    ],
    examples: ['holdfast failures 3', 'holdfast failures 3 --pending', 'holdfast failures --stats'],
    load: async () => (await import('./commands/failures.ts')).failuresCommand,
  },
  {
    usage: 'resolve <id>',
    summary: 'decide about jobs that wait for it',
    details:
      'Without --retry and --fail it asks on the terminal, group by group. All decisions are made, or none.',
    options: [
      ['--retry [jobs...]', 'jobs to try again; without names those of --fingerprint'],
      ['--fail [jobs...]', 'jobs to give up; without names those of --fingerprint'],
      ['--fingerprint <fingerprint>', 'all waiting jobs whose failures look like this'],
      ['--memory <size>', 'what the retries may use'],
      ['--runtime <duration>', 'how long the retries may take'],
      ['--reason <text>', 'kept in the audit trail'],
      ['--confidence <number>', 'how sure you are, from 0 to 1'],
      ['--dry-run', 'tell what would be decided, change nothing'],
    ],
    examples: [
      'holdfast resolve 3',
      'holdfast resolve 3 --retry train_1 train_2 --memory 4g --fail convert',
      'holdfast resolve 3 --fingerprint 9c5be72b13d0 --retry --reason "storage is back"',
    ],
    load: async () => (await import('./commands/resolve.ts')).resolveCommand,
  },
  {
    usage: 'cancel [id] [jobs...]',
    summary: 'cancel a workflow or some of its jobs',
    options: [
      ['--reason <text>', 'kept in the audit trail'],
      ['--dry-run', 'tell what would be canceled, change nothing'],
    ],
    examples: ['holdfast cancel 3', 'holdfast cancel 3 train_1 train_2 --reason "wrong input"'],
    load: async () => (await import('./commands/cancel.ts')).cancelCommand,
  },
  {
    usage: 'retry <id-or-job> [job]',
    summary: 'run a job that did not succeed once more',
    details:
      'It is tried again in the same run, and dependents that were canceled because of it wait for it\nagain. A job that waits for a decision is not retried this way: see resolve.',
    options: [['--max-retries <n>', 'refuse if the job has had this many attempts already']],
    examples: ['holdfast retry 3 train_1', 'holdfast retry train_1 --max-retries 5'],
    load: async () => (await import('./commands/retry.ts')).retryCommand,
  },
  {
    usage: 'reset-status <id>',
    summary: 'begin a new run, with fresh budgets',
    details: 'Attempts and logs of earlier runs are kept. Refused while a process drives the run.',
    options: [
      ['--failed-only', 'only jobs that did not succeed, and everything downstream of them'],
      ['--dry-run', 'tell what would be reset, change nothing'],
    ],
    examples: ['holdfast reset-status 3 --failed-only', 'holdfast reset-status 3 --dry-run'],
    load: async () => (await import('./commands/reset-status.ts')).resetStatusCommand,
  },
  {
    usage: 'recover [id]',
    summary: 'retry what failed for lack of resources',
    details:
      'What ran out of memory or time is tried again with more of it. Jobs that wait for a decision go on in\nthe same run; if the run is complete, a new one begins with the jobs that are tried again. No job is\nrun here: `holdfast run ID` does that.',
    options: [...RECOVERY_OPTIONS, ['--dry-run', 'tell what would be tried again, change nothing']],
    examples: [
      'holdfast recover 3 --dry-run',
      'holdfast recover 3 --memory-multiplier 2 --max-memory 64g',
      'holdfast recover 3 --ai-recovery --min-confidence 0.8',
    ],
    load: async () => (await import('./commands/recover.ts')).recoverCommand,
  },
  {
    usage: 'watch [id]',
    summary: 'follow a run to its end, recover it',
    details:
      'Without --recover it only follows. With it the run is driven here if nobody else does, and failures are\nrecovered until nothing more can be done. It stays while a decision is open. Exit codes as of `run`.',
    options: [
      ['--recover', 'run it, and try again what failed'],
      WITH_WORKER,
      ['--max-rounds <n>', 'how often known causes are recovered, and an agent is asked; 3 unless told'],
      ...RECOVERY_OPTIONS,
      ['--exit-when-waiting', 'exit with 3 when only decisions are left'],
      ...RUN_OPTIONS.slice(1),
    ],
    examples: [
      'holdfast watch 3',
      'holdfast watch 3 --recover',
      'holdfast watch 3 --recover --ai-recovery --exit-when-waiting',
    ],
    load: async () => (await import('./commands/watch.ts')).watchCommand,
  },
  {
    usage: 'report [id]',
    summary: 'what jobs asked for and what they used',
    examples: ['holdfast report 3', 'holdfast report 3 --output json'],
    load: async () => (await import('./commands/report.ts')).reportCommand,
  },
  ...SERVER_COMMANDS,
  {
    usage: 'mcp',
    summary: 'serve an AI agent on stdin and stdout',
    details:
      'A Model Context Protocol server: an agent lists failed jobs and decides about those that wait for\nit. What it may do is set here, not in a prompt. See docs/ai-recovery.md.',
    options: [
      ['--workflow <id>', 'only this workflow; any other does not exist for the agent'],
      ['--read-only', 'no tool that changes anything'],
      [
        '--allow <tools>',
        'also update_job_resources, recover_workflow or create_workflow, separated by commas',
      ],
      ['--max-decisions <n>', 'most decisions of this server; 100 unless told'],
      ['--min-confidence <x>', 'from 0 to 1; decisions with less are left for a person'],
      ['--agent-name <name>', 'who decides, in the audit trail: agent:NAME; mcp unless told'],
      ['--output-dir <dir>', SETTINGS.output_dir.about],
    ],
    examples: [
      'holdfast mcp',
      'holdfast mcp --workflow 3 --min-confidence 0.8',
      'holdfast mcp --allow update_job_resources,recover_workflow',
    ],
    load: async () => (await import('./commands/mcp.ts')).mcpCommand,
  },
  {
    usage: 'validate <spec>',
    summary: 'check a spec, show every mistake',
    examples: ['holdfast validate workflow.yaml'],
    load: async () => (await import('./commands/validate.ts')).validateCommand,
  },
  {
    usage: 'simulate <spec>',
    summary: 'what would happen, without running',
    details:
      'Plays the whole workflow with its routes, or with --job the policy of one job. What is not told\nsucceeds.\n\nAn outcome is an exit code, a signal (SEGV), or one of oom, timeout, lost, unstarted, cancel, stop,\nspawn, missing_output. After it, /CODE is what the post script exits with (/crash if it crashes;\notherwise it agrees with the exit code), and :TEXT is what the attempt wrote to stderr.',
    options: [
      ['--outcome <step=list>', 'how the executions of a step end; can be repeated', 'repeated'],
      ['--step-output <step=json>', 'what a step puts out; can be repeated', 'repeated'],
      ['--context <file>', 'JSON with what code sees as pr and files'],
      ['--job <name>', 'one job whose policy is played'],
      ['--outcomes <list>', 'how its attempts end, separated by commas'],
      ['--duration <duration>', 'how long each execution takes; 1m unless told'],
    ],
    examples: [
      'holdfast simulate workflow.yaml --outcome unit=1,1,0 --outcome build=0',
      `holdfast simulate workflow.yaml --step-output list='["a","b"]' --outcome 'p@list[0]=1,0'`,
      'holdfast simulate workflow.yaml --job train --outcomes 10,oom,lost,0',
      'holdfast simulate workflow.yaml --job train --outcomes "75:licence busy,1/42"',
    ],
    load: async () => (await import('./commands/simulate.ts')).simulateCommand,
  },
  {
    usage: 'plan <spec>',
    summary: 'in which order jobs would run, and why',
    options: [['--all', 'every job, also of large workflows']],
    examples: ['holdfast plan workflow.yaml'],
    load: async () => (await import('./commands/plan.ts')).planCommand,
  },
  {
    usage: 'graph <spec-or-id>',
    summary: 'draw the dependencies',
    options: [
      ['--format <format>', 'text, mermaid or dot; text unless told'],
      ['--all', 'every job, also of large workflows'],
    ],
    examples: ['holdfast graph workflow.yaml --format mermaid', 'holdfast graph 3 --format dot | dot -Tsvg'],
    load: async () => (await import('./commands/graph.ts')).graphCommand,
  },
  {
    usage: 'schema',
    summary: 'print the JSON Schema of specs',
    examples: ['holdfast schema > holdfast.schema.json'],
    load: async () => (await import('./commands/schema.ts')).schemaCommand,
  },
  {
    usage: 'init [file]',
    summary: 'write a starter spec (workflow.yaml)',
    examples: ['holdfast init', 'holdfast init nightly.yaml'],
    load: async () => (await import('./commands/init.ts')).initCommand,
  },
  {
    usage: 'config <action>',
    summary: 'show: every setting and its origin',
    details: `The first of these that says something wins: flags, HOLDFAST_* variables,\n.holdfast/config.yaml, ~/.config/holdfast/config.yaml, defaults.\n\nKeys:\n${SETTING_KEYS.map((key) => `  ${key.padEnd(32)}${SETTINGS[key].about}`).join('\n')}`,
    options: RUN_OPTIONS,
    examples: ['holdfast config show', 'HOLDFAST_MAX_PARALLEL=2 holdfast config show'],
    load: async () => (await import('./commands/config.ts')).configCommand,
  },
  {
    usage: 'doctor',
    summary: 'check this machine',
    examples: ['holdfast doctor'],
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
];
