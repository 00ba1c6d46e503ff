import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { DagAttempt } from '../../../contract/dag-evidence.ts';
import { readJobEvents } from '../../../core/dag/job-events.ts';
import { type JobTry, triesOf } from '../../../core/dag/job-tries.ts';
import {
  causeOf,
  describeOutcome,
  matchCode,
  type Outcome,
  outcome,
  signalNamed,
} from '../../../core/job/outcome.ts';
import { logTail } from '../../../core/request/post-record.ts';
import { evidenceTail } from '../../../core/text/evidence-tail.ts';
import { harmlessLine } from '../../../core/text/harmless-line.ts';
import type { DagLine, DagLines } from './dag-lines.ts';
import { readText } from './read-dag-run.ts';
import { stderrPath } from './submit-lines.ts';

const TAIL_BYTES = 256 * 1024;

/** Jobs of the nodes of one DAG, by node, from the log that DAGMan keeps of all of them: `DAG.nodes.log`. */
export function loggedTries(directory: string, dag: string): Map<string, JobTry[]> | null {
  const text = readText(join(directory, `${dag}.nodes.log`));
  if (text === null) return null;
  const tries = new Map<string, JobTry[]>();
  for (const each of triesOf(readJobEvents(text))) {
    if (each.node !== null) tries.set(each.node, [...(tries.get(each.node) ?? []), each]);
  }
  return tries;
}

/** The attempts of a node as its jobs' log has them. The log knows no rules: the built-in judgement applies. */
export function loggedAttempts(
  { node, directory: sub, file }: DagLine,
  place: string,
  tries: readonly JobTry[],
  { variables }: DagLines,
  directory: string,
  isFailed: boolean,
): DagAttempt[] {
  const ended = tries.filter((each) => each.ended);
  return ended.map((each, index): DagAttempt => {
    const isLast = index === ended.length - 1;
    const facts = outcomeOf(each);
    const cause = causeOf(facts) ?? (each.hold_reason === null ? null : 'exit');
    // The POST script has the last word, where there is one.
    const failed = each.post_code === null ? cause !== null : each.post_code !== 0;
    const tail =
      failed && isLast ? stderrOf(each, node, file, join(directory, sub), variables.get(node)) : '';
    return {
      node: place,
      attempt: index + 1,
      failed,
      final: isLast && isFailed,
      category: failed
        ? cause === 'lost' || each.hold_reason !== null
          ? 'infrastructure'
          : 'transient'
        : null,
      cause,
      code: matchCode(facts),
      exit_code: facts.exit_code,
      signal: facts.signal,
      ended_at_ms: null,
      site: siteOf(each),
      sentence: sentenceOf(each, facts),
      bad_input_files: [],
      log_tail: evidenceTail(logTail(tail)),
    };
  });
}

function outcomeOf({ exit_code, signal, removed }: JobTry): Outcome {
  if (removed !== null) return outcome({ lost: true });
  return outcome({ exit_code, signal: signal === null ? null : signalNamed(signal) });
}

function sentenceOf({ hold_reason, removed, post_code }: JobTry, facts: Outcome): string {
  const post = post_code === null || post_code === 0 ? '' : `; its POST script exited with ${post_code}`;
  if (hold_reason !== null) return harmlessLine(`held (${hold_reason}), then removed${post}`, 500);
  return harmlessLine(
    removed === null ? `${describeOutcome(facts)}${post}` : `removed: ${removed}${post}`,
    500,
  );
}

/** The site if the submit file had it logged, else the machine. */
function siteOf({ attributes, slot }: JobTry): string | null {
  const named = Object.entries(attributes).find(([key]) => /^MachineAttr\w*Site0$/.test(key));
  return named?.[1] ?? slot?.replace(/^[^@]*@/, '') ?? null;
}

function stderrOf(
  { cluster }: JobTry,
  node: string,
  file: string | null,
  directory: string,
  variables: ReadonlyMap<string, string> | undefined,
): string {
  const submit = file === null ? null : readText(isAbsolute(file) ? file : join(directory, file));
  if (submit === null) return '';
  const values = new Map([
    ...(variables ?? []),
    ['job', node],
    ['cluster', String(cluster)],
    ['clusterid', String(cluster)],
    ['process', '0'],
    ['procid', '0'],
  ]);
  const path = stderrPath(submit, values);
  return path === null ? '' : endOfFile(isAbsolute(path) ? path : join(directory, path));
}

/** '' if it cannot be read. Never waits, whatever is at the path. */
function endOfFile(path: string): string {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const facts = fstatSync(file);
      if (!facts.isFile()) return '';
      const buffer = Buffer.alloc(Math.min(facts.size, TAIL_BYTES));
      const length = readSync(file, buffer, 0, buffer.length, facts.size - buffer.length);
      return buffer.toString('utf8', 0, length);
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}
