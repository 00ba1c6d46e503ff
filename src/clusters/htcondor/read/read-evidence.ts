import { join } from 'node:path';
import type { DagEvidence } from '../../../contract/dag-evidence.ts';
import type { DagEnd } from '../../../contract/run-engine.ts';
import { newestRescue, rescueFile } from '../../../core/dag/run-file.ts';
import { type DagLine, type DagLines, readDagLines } from './dag-lines.ts';
import { endOf, readMetrics } from './dag-metrics.ts';
import { findDag, unreadable } from './find-dag.ts';
import { loggedAttempts, loggedTries } from './logged-attempts.ts';
import { type NodeState, readNodeStatus } from './node-status.ts';
import { ownEvidence } from './own-evidence.ts';
import { fileNames } from './post-records.ts';
import { readText } from './read-dag-run.ts';
import { readRescue } from './rescue-lines.ts';

/** Why a DAG ended as it did, from its files alone. `path` is its directory, or the DAG file. */
export function readEvidence(path: string): DagEvidence {
  const { directory, dag, others } = findDag(path);
  const evidence = ownEvidence(directory, dag) ?? foreignEvidence(directory, dag);
  if (others.length > 0) {
    evidence.unknown.push(
      `${others.length} more DAGs in this directory were not looked at: ${others.join(', ')}`,
    );
  }
  return evidence;
}

/** Of a DAG that has no post records. */
function foreignEvidence(directory: string, dag: string): DagEvidence {
  const text = readText(join(directory, dag));
  if (text === null) throw unreadable(directory, `${dag} cannot be read`);
  const evidence: DagEvidence = {
    directory,
    dag,
    name: null,
    run: null,
    ended: null,
    counts: { total: 0, done: 0, failed: 0, not_run: 0 },
    units: [],
    attempts: [],
    without_evidence: [],
    held: [],
    unknown: [],
  };
  const lines = readDagLines(text);
  const read = readOne(directory, dag, '', lines, evidence, 0);
  const metrics = readMetrics(readText(join(directory, `${dag}.metrics`)) ?? '');
  const { done, failed } = read;
  const names = new Set([...lines.nodes.map(({ node }) => node), ...done, ...failed]);
  return {
    ...evidence,
    run: metrics === null ? null : metrics.rescue + 1,
    ended: read.ended,
    counts: {
      total: read.total,
      done: done.size,
      failed: failed.size,
      not_run: read.total - done.size - failed.size,
    },
    units: [...names].map((name) => ({
      name,
      state: done.has(name) ? 'done' : failed.has(name) ? 'failed' : 'not run',
    })),
    unknown: [
      ...new Set([
        ...evidence.unknown,
        'no post records: categories are those of the built-in judgement, and reports of jobs are not known',
        ...(metrics === null ? [`${dag}.metrics is not there: the DAG may still be running`] : []),
      ]),
    ],
  };
}

interface ReadDag {
  ended: DagEnd | null;
  total: number;
  done: Set<string>;
  failed: Set<string>;
}

/** DAGs in DAGs in DAGs … are looked at no deeper. */
const MOST_DEPTH = 8;

/** Adds what one DAG says to the evidence, then what those in it say. */
function readOne(
  directory: string,
  dag: string,
  prefix: string,
  lines: DagLines,
  evidence: DagEvidence,
  depth: number,
): ReadDag {
  const { states, failed, ended } = endedNodes(directory, dag, lines);
  const tries = loggedTries(directory, dag);
  if (tries === null) evidence.unknown.push(`${prefix}${dag}.nodes.log is not there: attempts are not known`);
  const isEnded = ended?.how === 'removed' || ended?.how === 'aborted';
  for (const line of lines.nodes) {
    const place = `${prefix}${line.node}`;
    const own = (tries?.get(line.node) ?? []).filter(
      // What the removal of the DAG ended has not failed.
      ({ removed, hold_reason }) =>
        failed.has(line.node) || !isEnded || removed === null || hold_reason !== null,
    );
    for (const each of own) {
      if (!each.ended && each.hold_reason !== null)
        evidence.held.push({ node: place, reason: each.hold_reason });
    }
    const inner =
      line.isDag && depth < MOST_DEPTH ? readInner(directory, line, place, evidence, depth) : null;
    if (inner !== null) continue;
    const attempts = loggedAttempts(line, place, own, lines, directory, failed.has(line.node));
    evidence.attempts.push(...attempts);
    if (failed.has(line.node) && !attempts.some((each) => each.final)) evidence.without_evidence.push(place);
  }
  if (lines.splices.length > 0) {
    evidence.unknown.push('nodes of splices are counted, but not looked into');
  }
  const done = new Set([...states].filter(([, state]) => state === 'done').map(([node]) => node));
  return { ended, total: Math.max(lines.nodes.length, states.size), done, failed };
}

function readInner(
  directory: string,
  { file, directory: sub }: DagLine,
  place: string,
  evidence: DagEvidence,
  depth: number,
): ReadDag | null {
  if (file === null) return null;
  const inside = join(directory, sub);
  const text = readText(join(inside, file));
  if (text === null) return null;
  return readOne(inside, file, `${place}/`, readDagLines(text), evidence, depth + 1);
}

/** How the nodes of one DAG stand: by the status file, by the newest rescue file, else by their jobs. */
function endedNodes(
  directory: string,
  dag: string,
  { statusFile, nodes }: DagLines,
): { states: Map<string, NodeState>; failed: Set<string>; ended: DagEnd | null } {
  const names = fileNames(directory);
  const metrics = readMetrics(readText(join(directory, `${dag}.metrics`)) ?? '');
  const newest = newestRescue(names, dag);
  const rescueText = newest === 0 ? null : readText(join(directory, rescueFile(dag, newest)));
  const rescue = readRescue(rescueText ?? '');
  const isNewest = metrics !== null && newest === metrics.rescue + 1;
  const ended = metrics === null ? null : endOf(metrics, isNewest);
  const states = new Map<string, NodeState>();
  const status = statusFile === null ? null : readText(join(directory, statusFile));
  for (const { node, state } of readNodeStatus(status ?? '').nodes) states.set(node, state);
  for (const node of rescue.done) states.set(node, 'done');
  if (ended?.how === 'done') for (const { node } of nodes) states.set(node, 'done');
  const failed = isNewest
    ? rescue.failed
    : new Set([...states].filter(([, state]) => state === 'error').map(([node]) => node));
  if (ended?.how === 'done') return { states, failed: new Set(), ended };
  if (status === null && !isNewest) {
    for (const [node, tries] of loggedTries(directory, dag) ?? []) {
      const last = tries.at(-1)!;
      const code = last.post_code ?? last.exit_code ?? (last.signal === null ? null : -last.signal);
      if (!last.ended || states.has(node)) continue;
      if (code === 0) states.set(node, 'done');
      else failed.add(node);
    }
  }
  return { states, failed, ended };
}
