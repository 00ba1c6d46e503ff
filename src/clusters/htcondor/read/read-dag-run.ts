import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DagEnd, RunAttempt, RunUnit } from '../../../contract/run-engine.ts';
import {
  currentRun,
  newestRescue,
  RUN_FILE,
  type RunFile,
  readRunFile,
  rescueFile,
} from '../../../core/dag/run-file.ts';
import { HoldfastError } from '../../../core/errors.ts';
import type { PostRecord } from '../../../core/request/post-record.ts';
import { type DagMetrics, endOf, readMetrics } from './dag-metrics.ts';
import { readNodeStatus } from './node-status.ts';
import { fileNames, readPostRecords } from './post-records.ts';
import { readRescue } from './rescue-lines.ts';

/** What the files of a DAG directory of ours say of its newest run. Nothing is asked of the queue. */
export interface DagRunFacts {
  file: RunFile;
  /** Number of the run, from 1. */
  run: number;
  /** As the newest metrics say; null: no run of this number, or of this DAGMan, has ended. */
  ended: DagEnd | null;
  metrics: DagMetrics | null;
  units: RunUnit[];
  attempts: RunAttempt[];
  /** Records that are damaged. */
  unreadable: string[];
}

/**
 * Reads the run that is under way, or the last one if none is. With `cluster`, only metrics of that DAGMan count as its
 * end: those of the run before stay until the next one ends. `known` is the number of the run where the caller gave it
 * one: a run that was removed before it began leaves no rescue file to count.
 */
export function readDagRun(
  directory: string,
  cluster: string | null = null,
  known: number | null = null,
): DagRunFacts {
  const file = readRunFile(readText(join(directory, RUN_FILE)) ?? '');
  if (file === null) {
    throw new HoldfastError('DAG_UNREADABLE', { directory, problem: `it has no ${RUN_FILE} of Holdfast` });
  }
  const names = fileNames(directory);
  const metrics = readMetrics(readText(join(directory, `${file.dag}.metrics`)) ?? '');
  const isOfThis = metrics !== null && (cluster === null || metrics.cluster === cluster);
  // An ended run left its own rescue file: its number is that of the rescue file it began with, and one.
  const counted = isOfThis
    ? Math.max(metrics.rescue + 1, isEndOf(file, metrics) ? file.run : 1)
    : currentRun(file, names);
  const run = known ?? counted;
  const ended = isOfThis ? endOf(metrics, names.includes(rescueFile(file.dag, metrics.rescue + 1))) : null;
  const { attempts, unreadable } = readAttempts(directory, file, run);
  return {
    file,
    run,
    ended,
    metrics: isOfThis ? metrics : null,
    units: unitStates(directory, file, names, attempts, ended),
    attempts,
    unreadable,
  };
}

/** `run.json` is about this run, not about the next one that has not begun. */
function isEndOf(file: RunFile, metrics: DagMetrics): boolean {
  return file.run <= metrics.rescue + 1;
}

function readAttempts(
  directory: string,
  { kind, units }: RunFile,
  run: number,
): { attempts: RunAttempt[]; unreadable: string[] } {
  if (kind === 'workflow') {
    const { records, unreadable } = readPostRecords(directory, run);
    return { attempts: records.map((record) => ({ unit: record.node_name, record })), unreadable };
  }
  const attempts: RunAttempt[] = [];
  const unreadable: string[] = [];
  for (const unit of units) {
    const found = readPostRecords(join(directory, unit), run);
    attempts.push(...found.records.map((record) => ({ unit, record })));
    unreadable.push(...found.unreadable.map((name) => `${unit}/${name}`));
  }
  attempts.sort((a, b) => a.record.timestamp.localeCompare(b.record.timestamp));
  return { attempts, unreadable };
}

/**
 * A unit is done if DAGMan says so; failed if one of its jobs failed for good in this run, or if DAGMan lists it as failed
 * without a record; otherwise not run. DAGMan also writes ERROR for nodes that a removal ended, which is no failure.
 */
function unitStates(
  directory: string,
  file: RunFile,
  names: readonly string[],
  attempts: readonly RunAttempt[],
  ended: DagEnd | null,
): RunUnit[] {
  const newest = newestRescue(names, file.dag);
  const rescue = readRescue((newest > 0 && readText(join(directory, rescueFile(file.dag, newest)))) || '');
  const status = readNodeStatus(readText(join(directory, file.dag.replace(/\.dag$/, '.status'))) ?? '');
  const done = new Set([
    ...rescue.done,
    ...status.nodes.filter(({ state }) => state === 'done').map(({ node }) => node),
  ]);
  const failed = new Set(attempts.filter(({ record }) => isFinalFailure(record)).map(({ unit }) => unit));
  // While a run is under way, the list in the newest rescue file is about the run before.
  const listed = ended !== null && ended.how !== 'done' ? rescue.failed : new Set<string>();
  return file.units.map((name): RunUnit => {
    if (ended?.how === 'done' || done.has(name)) return { name, state: 'done', noEvidence: false };
    if (failed.has(name)) return { name, state: 'failed', noEvidence: false };
    return listed.has(name)
      ? { name, state: 'failed', noEvidence: true }
      : { name, state: 'not run', noEvidence: false };
  });
}

/** No attempt of the node follows in the run, and it neither succeeded nor was accepted. */
export function isFinalFailure({ final, classification }: PostRecord): boolean {
  return final && classification.action !== 'success' && classification.action !== 'absorbed';
}

const MOST_BYTES = 64 * 1024 * 1024;

/** null: there is no such file, or it is larger than any that DAGMan writes. */
export function readText(path: string): string | null {
  try {
    const facts = statSync(path);
    return facts.isFile() && facts.size <= MOST_BYTES ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}
