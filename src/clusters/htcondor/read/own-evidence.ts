import { join } from 'node:path';
import type { DagAttempt, DagEvidence } from '../../../contract/dag-evidence.ts';
import type { RunAttempt } from '../../../contract/run-engine.ts';
import { outcomeOfRecord } from '../../../core/dag/record-outcome.ts';
import { RUN_FILE, readRunFile } from '../../../core/dag/run-file.ts';
import { causeOf, matchCode } from '../../../core/job/outcome.ts';
import { isFinalFailure, readDagRun, readText } from './read-dag-run.ts';

/** Of a DAG directory that was exported from here: its post records have the evidence. null: it is another one. */
export function ownEvidence(directory: string, dag: string): DagEvidence | null {
  const file = readRunFile(readText(join(directory, RUN_FILE)) ?? '');
  if (file === null || file.dag !== dag) return null;
  const facts = readDagRun(directory);
  const count = (state: string) => facts.units.filter((unit) => unit.state === state).length;
  const isRound = file.kind === 'round';
  return {
    directory,
    dag,
    name: file.name,
    run: facts.run,
    ended: facts.ended,
    counts: {
      total: facts.units.length,
      done: count('done'),
      failed: count('failed'),
      not_run: count('not run'),
    },
    units: facts.units.map(({ name, state }) => ({ name, state })),
    attempts: facts.attempts.map((each) => attemptOf(each, isRound)),
    without_evidence: facts.units.filter(({ noEvidence }) => noEvidence).map(({ name }) => name),
    held: [],
    unknown: [
      ...facts.unreadable.map((name) => `${name} is damaged`),
      ...(facts.ended === null ? [`${dag}.metrics is not there: the DAG may still be running`] : []),
    ],
  };
}

function attemptOf({ unit, record }: RunAttempt, isRound: boolean): DagAttempt {
  const { classification, job, log_tail } = record;
  const outcome = outcomeOfRecord(record);
  const failed = classification.action !== 'success';
  return {
    node: isRound ? `${unit}/${record.node_name}` : record.node_name,
    attempt: record.attempt,
    failed,
    final: isFinalFailure(record),
    category: classification.category,
    cause: failed ? (causeOf(outcome) ?? 'exit') : null,
    code: record.report?.exit_code || matchCode(outcome),
    exit_code: job.exit_code,
    signal: job.exit_signal,
    ended_at_ms: Date.parse(record.timestamp),
    site: job.site,
    sentence: classification.reason,
    bad_input_files: classification.bad_input_files,
    log_tail: failed ? log_tail : '',
  };
}
