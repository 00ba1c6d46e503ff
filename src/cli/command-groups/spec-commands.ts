import type { CommandEntry } from '../command-entry.ts';
import { SET_OPTION } from '../options/set-option.ts';

/** For specs, before and without a run. */
export const SPEC_COMMANDS: CommandEntry[] = [
  {
    usage: 'validate <spec>',
    summary: 'check a spec, show every mistake',
    options: [SET_OPTION],
    examples: ['holdfast validate workflow.yaml'],
    load: async () => (await import('../commands/run/validate.ts')).validateCommand,
  },
  {
    usage: 'simulate <spec>',
    summary: 'what would happen, without running',
    details:
      'Plays the whole workflow with its routes, or with --job one job alone, on the real engine with a\nsimulated clock. Steps without an outcome succeed.\n\nAn outcome is an exit code, a signal (SEGV), or one of oom, timeout, lost, unstarted, cancel, stop,\nspawn, missing_output. After it, /CODE is what the post script exits with (/crash if it crashes;\notherwise it agrees with the exit code), and :TEXT is what the attempt wrote to stderr.\n\nOf a request it plays the rounds, and prints what failed and why each round was rescued, held or closed.\n  unit 3=LIST       outcomes of the runs of unit 3: its first run, its first rescue, ...\n  unit 3 proc 2=LIST, unit 3 merge=LIST   outcomes of the attempts of one job\n  site north=OUTCOME                      outcome of all attempts at a site\nOutcomes of a request are also ok, fail, permanent, data, data:ITEM, infrastructure and abort, and numbers\nabove 255, which are codes of a report. Units without an outcome succeed. It exits with what `run` would\nexit with: 0 completed, 3 held; also 0 when it stops at --max-rounds.',
    options: [
      ['--outcome <target=list>', 'how the executions of a step or a unit end; can be repeated', 'repeated'],
      ['--step-output <step=json>', 'what a step puts out; can be repeated', 'repeated'],
      ['--context <file>', 'JSON with what code sees as pr and files'],
      SET_OPTION,
      ['--job <name>', 'play this job alone'],
      ['--outcomes <list>', 'how its attempts end, separated by commas'],
      ['--duration <duration>', 'how long each execution takes (default: 1m)'],
      [
        '--sites <names>',
        'request: sites that have workers, separated by commas (default: those of the spec)',
      ],
      ['--release', 'request: release it when it is held; can be repeated, once for each hold', 'repeated'],
      ['--max-rounds <n>', 'request: stop after so many rounds (default: 20)'],
    ],
    examples: [
      'holdfast simulate workflow.yaml --outcome unit=1,1,0 --outcome build=0',
      `holdfast simulate workflow.yaml --step-output list='["a","b"]' --outcome 'p@list[0]=1,0'`,
      'holdfast simulate workflow.yaml --job train --outcomes 10,oom,lost,0',
      'holdfast simulate workflow.yaml --job train --outcomes "75:licence busy,1/42"',
      "holdfast simulate request.yaml --outcome 'unit 3=fail,fail,ok' --outcome 'unit 7=data:file.root'",
      "holdfast simulate request.yaml --sites north,south --outcome 'site north=infrastructure' --release",
    ],
    load: async () => (await import('../commands/run/simulate.ts')).simulateCommand,
  },
  {
    usage: 'post [macros...]',
    summary: 'classify an attempt, write its record',
    details:
      'The built-in post step. Without arguments it is the post script of a job, and reads the file that\nHOLDFAST_OUTCOME names. With NODE RETURN RETRY MAX_RETRIES DAG_STATUS FAILED_COUNT it is the POST script\nof a DAGMan node, and reads NODE.report.json, NODE.err and NODE.log in --dir (default: the current\ndirectory). Records are NODE.rR.aA.post.json, and NODE.post.json for the newest, in --dir.\n\nExit codes:\n  0   success, or accepted by a rule\n  1   retry; also after an error of its own, because a DAG gives every other code a meaning\n  42  permanent: no retry\n  43  abort everything\n  75  a cool-off runs; call again (SCRIPT DEFER 75)',
    options: [
      ['--rulebook <file>', 'rules by which failures are classified'],
      ['--run <n>', 'number of the run (default: follows from the records)'],
      ['--run-file <file>', 'in a DAG: its run.json, from which the number of the run follows'],
      [
        '--unit',
        'in a DAG: the node is a unit; exits as it did, or with the abort code if a job of it aborted',
      ],
      ['--unless-exit-code <code>', 'exit code for permanent failures (default: 42)'],
      ['--abort-dag-code <code>', 'exit code that aborts everything (default: 43)'],
      [
        '--cooloff-base-sec <seconds>',
        'in a DAG: wait before the first retry, doubled each time (default: none)',
      ],
    ],
    examples: [
      'holdfast post --rulebook rules.yaml',
      'holdfast post proc_000001 1 0 3 0 0 --dir submit --rulebook rules.yaml',
      'holdfast post proc_000001 -11 1 3 2 1 --cooloff-base-sec 60',
    ],
    load: async () => {
      const { postProgram } = await import('../post/post-program.ts');
      return (_, { args }) => postProgram(args);
    },
  },
  {
    usage: 'plan <spec>',
    summary: 'in which order jobs would run, and why',
    options: [['--all', 'every job, also of large workflows'], SET_OPTION],
    examples: ['holdfast plan workflow.yaml'],
    load: async () => (await import('../commands/run/plan.ts')).planCommand,
  },
  {
    usage: 'graph <spec-or-id>',
    summary: 'draw the dependencies',
    options: [
      ['--format <format>', 'text, mermaid or dot (default: text)'],
      ['--all', 'every job, also of large workflows'],
    ],
    examples: ['holdfast graph workflow.yaml --format mermaid', 'holdfast graph 3 --format dot | dot -Tsvg'],
    load: async () => (await import('../commands/look/graph.ts')).graphCommand,
  },
  {
    usage: 'schema',
    summary: 'print the JSON Schema of specs',
    examples: ['holdfast schema > holdfast.schema.json'],
    load: async () => (await import('../commands/run/schema.ts')).schemaCommand,
  },
  {
    usage: 'init [file]',
    summary: 'write a starter spec (workflow.yaml)',
    details: 'Beside it holdfast.schema.json, with which editors complete and check it.',
    options: [
      ['--template <name>', 'what it shows (default: pipeline)'],
      ['--list', 'list the templates, write nothing'],
    ],
    examples: ['holdfast init', 'holdfast init --list', 'holdfast init --template sweep sweep.yaml'],
    load: async () => (await import('../commands/run/init.ts')).initCommand,
  },
];
