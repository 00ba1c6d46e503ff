import type { CommandEntry } from '../command-entry.ts';
import { RUN_OPTIONS, TIME_LIMIT_OPTIONS } from '../options/command-options.ts';

export const EXEC_COMMAND: CommandEntry = {
  usage: 'exec [words...]',
  summary: 'run a command many times, without a spec',
  details:
    'For people who use xargs and parallel. Several words after `--` are a program and its arguments; one word is\na command for the shell. {NAME} stands for a value of --param, {line} or {} for a line; values are quoted.\nEach job prints what it wrote when it has ended, in one piece. It is a workflow like any other, named\nafter the program: `holdfast status`, `logs`, `retry` and `run ID` work with it.\n\nExit codes are those of `run`.',
  options: [
    ...RUN_OPTIONS,
    ['--param <name=values>', 'values, e.g. i=1:9, x=[a,b] or x=a; can be repeated', 'repeated'],
    ['--lines', 'one job for each line of stdin, as {line} or {}'],
    ['-a, --arg-file <file>', 'one job for each line of this file'],
    ['--retries <n>', 'retries of each job after a failure (default: 0)'],
    ['--timeout <duration>', 'how long each attempt may take'],
    ['--shell', 'the words together are a command for the shell'],
    ...TIME_LIMIT_OPTIONS,
  ],
  examples: [
    'holdfast exec --param i=1:9 -- echo {i}',
    "holdfast exec -j 8 --retries 3 --timeout 5m --param i=1:9 -- 'sleep {i} && echo {i}'",
    'ls *.gz | holdfast exec --lines -- gunzip -k {}',
  ],
  load: async () => (await import('../commands/run/exec.ts')).execCommand,
};
