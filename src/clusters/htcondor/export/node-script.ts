import { posix } from 'node:path';
import { callWithFile, type Shell } from '../../../core/job/shell.ts';
import type { PlannedNode } from './dag-plan.ts';
import { commentLine } from './submit-words.ts';

/**
 * The program of a node: it sets the variables, goes to the directory of the job and becomes its command. Values stand
 * between single quotes, where a shell looks into nothing. Returns texts by file name.
 */
export function nodeScript(node: PlannedNode): Map<string, string> {
  const { name, facts, command, shell, cwd, env, outputs } = node;
  const files = new Map<string, string>();
  // A file of its own: it can be read as it was written, be long, and is not repeated in stderr after a signal.
  files.set(`${name}.command`, `${command}\n`);
  const call = shellCall(shell, command, `"$directory/${name}.command"`);
  const directories = [...new Set(outputs.map((path) => posix.dirname(path)))].filter((path) => path !== '.');
  files.set(
    `${name}.sh`,
    lines([
      '#!/bin/bash',
      commentLine(`The job ${facts.job}.`),
      'directory=$PWD',
      `export HOLDFAST_REPORT="$directory/${name}.report.json"`,
      `export HOLDFAST_JOB_NAME=${quoted(facts.job)} TORC_JOB_NAME=${quoted(facts.job)}`,
      ...Object.entries(env).map(([key, value]) => `export ${key}=${quoted(value)}`),
      '# The report of an earlier attempt must not be taken for that of this one.',
      'rm -f -- "$HOLDFAST_REPORT"',
      `cd -- ${quoted(cwd)} || exit 1`,
      ...(directories.length === 0 ? [] : [`mkdir -p -- ${directories.map(quoted).join(' ')} || exit 1`]),
      ...(outputs.length === 0 ? [`exec ${call}`] : [call, ...checkOutputs(outputs)]),
    ]),
  );
  return files;
}

/** What an argument may have on Linux. */
const MOST_BYTES = 128 * 1024 - 1;

/** The shell with the command in `file`, an expression of bash. A shell of one's own gets the command as an argument. */
function shellCall(shell: Shell, command: string, file: string): string {
  if (shell === 'bash') return `bash -- ${file}`;
  if (shell === 'strict') return `bash -euo pipefail -- ${file}`;
  const long = Buffer.byteLength(command) > MOST_BYTES ? callWithFile(shell, '') : null;
  if (long === null) return `${shell.map(quoted).join(' ')} "$(cat -- ${file})"`;
  return `${[long.program, ...long.args.slice(0, -1)].map(quoted).join(' ')} ${file}`;
}

function checkOutputs(outputs: readonly string[]): string[] {
  return [
    'code=$?',
    '[ "$code" -eq 0 ] || exit "$code"',
    `for file in ${outputs.map(quoted).join(' ')}; do`,
    '  [ -e "$file" ] || { echo "missing output: $file" >&2; code=1; }',
    'done',
    'exit "$code"',
  ];
}

/** The POST script of all nodes of a DAG directory. `here` is that directory, wherever DAGMan stands. */
export function postScript(program: readonly string[], options: readonly string[]): string {
  return lines([
    '#!/bin/sh',
    '# The POST script of every node. DAGMan calls it with',
    '#   $JOB $RETURN $RETRY $MAX_RETRIES $DAG_STATUS $FAILED_COUNT',
    'here=${0%/*}',
    '# Node would read the certificates before anything else, for longer than all of the rest takes.',
    'unset NODE_EXTRA_CA_CERTS',
    `exec ${program.map(quoted).join(' ')} post "$@" --run-file "$here/run.json" ${options.join(' ')}`,
  ]);
}

/** Whatever the text is, the shell takes it as one word and looks into nothing of it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

const lines = (texts: readonly string[]) => `${texts.join('\n')}\n`;
