import { formatDuration, formatSize } from '../../core/quantity.ts';
import type { DecisionRecord, RecoveredJob, RecoverResult } from '../../core/resolution.ts';
import type { AgentReport } from '../recovery/recovery.ts';
import type { RecoveryReport } from './renderer.ts';
import type { TextStyle } from './text-style.ts';
import { type Column, textTable } from './text-table.ts';
import { statusStyle } from './workflow-state.ts';

const ROWS_SHOWN = 20;

const CAUSES: Record<RecoveredJob['why'], string> = {
  oom: 'out of memory',
  timeout: 'timed out',
  unknown: 'cause not known',
};

/** What is tried again with what, what an agent decided, what is left and why, and the next command. */
export function recoveryText(
  { workflowId, result, agent, wouldAsk, next }: RecoveryReport,
  style: TextStyle,
): string[] {
  const lines = [`workflow ${workflowId}: ${headline(result)}`];
  lines.push(...rows(RETRIED, result.retried, style));
  if (agent !== null) lines.push(...agentText(agent, style));
  if (wouldAsk > 0) lines.push(`an agent would be asked about ${jobs(wouldAsk)}`);
  if (result.left.length > 0) {
    lines.push(`${jobs(result.left.length)} left as ${result.left.length === 1 ? 'it is' : 'they are'}:`);
    lines.push(...rows(LEFT, result.left, style));
  }
  return next === null ? lines : [...lines, `next: ${next}`];
}

function headline({ dry_run, mode, run_id, retried }: RecoverResult): string {
  const count = jobs(retried.length);
  if (mode === 'nothing') return 'nothing failed for a cause that is known to be mended';
  if (mode === 'new_run')
    return `${dry_run ? 'would begin' : 'began'} run ${run_id} with ${count} to try again`;
  return `${dry_run ? 'would try' : 'tries'} ${count} again in run ${run_id}`;
}

function agentText({ agent, end, decisions, left }: AgentReport, style: TextStyle): string[] {
  const count = `${decisions.length} ${decisions.length === 1 ? 'decision' : 'decisions'}`;
  return [
    `agent ${agent}: ${end}; ${count}, ${jobs(left)} still ${left === 1 ? 'waits' : 'wait'} for one`,
    ...rows(DECIDED, decisions, style),
  ];
}

const RETRIED: Column<RecoveredJob>[] = [
  { title: 'JOB', value: ({ name }) => name, shrink: 'middle' },
  { title: 'WHY', value: ({ why }) => CAUSES[why] },
  { title: 'MEMORY', value: ({ memory_bytes }) => change(memory_bytes, formatSize) },
  { title: 'RUNTIME', value: ({ runtime_ms }) => change(runtime_ms, formatDuration) },
];

const DECIDED: Column<DecisionRecord>[] = [
  { title: 'JOB', value: ({ job_name }) => job_name, shrink: 'middle' },
  { title: 'DECISION', value: ({ action }) => action },
  { title: 'CONFIDENCE', value: ({ confidence }) => confidence, align: 'right' },
  { title: 'REASON', value: ({ reason }) => reason, shrink: 'end' },
];

const LEFT: Column<RecoverResult['left'][number]>[] = [
  { title: 'JOB', value: ({ name }) => name, shrink: 'middle' },
  { title: 'STATUS', value: ({ status }) => status, style: ({ status }) => statusStyle(status) },
  { title: 'WHY', value: ({ why }) => why, shrink: 'end' },
];

function rows<T>(columns: readonly Column<T>[], all: readonly T[], { width, paint }: TextStyle): string[] {
  if (all.length === 0) return [];
  const table = textTable(columns, all.slice(0, ROWS_SHOWN), width - 2, paint).map((line) => `  ${line}`);
  return all.length > ROWS_SHOWN ? [...table, `  and ${all.length - ROWS_SHOWN} more`] : table;
}

function change(
  values: { from: number; to: number } | null,
  format: (value: number) => string,
): string | null {
  return values === null ? null : `${format(values.from)} → ${format(values.to)}`;
}

function jobs(count: number): string {
  return `${count} ${count === 1 ? 'job' : 'jobs'}`;
}
