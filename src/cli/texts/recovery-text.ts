import type { Hint } from '../../contract/records/hint.ts';
import type { DecisionRecord, RecoveredJob, RecoverResult } from '../../contract/records/resolution.ts';
import { shownStatus } from '../../core/job/shown-status.ts';
import { formatDuration, formatSize } from '../../core/text/quantity.ts';
import type { AgentReport, Recovery } from '../recovery/recovery.ts';
import type { TextStyle } from '../terminal/text-style.ts';
import { type Column, textTable } from '../terminal/text-table.ts';
import type { View } from '../terminal/view.ts';
import { nextLines } from './parts/hint-command.ts';
import { jobsCounted } from './parts/some-names.ts';
import { statusStyle } from './workflow-state.ts';

const ROWS_SHOWN = 20;

const CAUSES: Record<RecoveredJob['why'], string> = {
  oom: 'out of memory',
  timeout: 'timed out',
  unknown: 'cause not known',
};

/** What `recover` did, or would do. */
export interface RecoverySummary extends Recovery {
  /** null if there is nothing to do. */
  next: Hint | null;
}

export const recoveryView: View<RecoverySummary> = {
  json: ({ workflowId, result, agent, wouldAsk }) => ({
    workflow_id: workflowId,
    ...result,
    agent,
    would_ask: wouldAsk,
  }),
  table: recoveryText,
  quiet: ({ result }) => result.retried.map(({ job_id }) => job_id),
};

/** Jobs that are retried and with what, decisions of an agent, jobs that are left and why, and the next command. */
function recoveryText(
  { workflowId, result, agent, wouldAsk, next }: RecoverySummary,
  style: TextStyle,
): string[] {
  const lines = [`workflow ${workflowId}: ${headline(result)}`];
  lines.push(...rows(RETRIED, result.retried, style));
  if (agent !== null) lines.push(...agentText(agent, style));
  if (wouldAsk > 0) lines.push(`an agent would be asked about ${jobsCounted(wouldAsk)}`);
  if (result.left.length > 0) {
    const are = result.left.length === 1 ? 'it is' : 'they are';
    lines.push(`${jobsCounted(result.left.length)} left as ${are}:`, ...rows(LEFT, result.left, style));
  }
  return [...lines, ...nextLines(next, style)];
}

function headline({ dry_run, mode, run_id, complete, retried, left }: RecoverResult): string {
  const count = jobsCounted(retried.length);
  if (mode === 'nothing' && !complete) return `run ${run_id} is not complete, nothing was changed`;
  if (mode === 'nothing') {
    return left.length === 0 ? 'nothing failed' : 'no job that failed can be recovered';
  }
  if (mode === 'new_run')
    return `${dry_run ? 'would begin' : 'began'} run ${run_id} with ${count} to try again`;
  return `${dry_run ? 'would try' : 'tries'} ${count} again in run ${run_id}`;
}

function agentText({ agent, end, decisions, left, output }: AgentReport, style: TextStyle): string[] {
  const count = `${decisions.length} ${decisions.length === 1 ? 'decision' : 'decisions'}`;
  return [
    `agent ${agent}: ${end}; ${count}, ${jobsCounted(left)} still ${left === 1 ? 'waits' : 'wait'} for one`,
    ...rows(DECIDED, decisions, style),
    ...(output.length === 0 ? [] : ['the last lines that it printed:', ...output.map((line) => `  ${line}`)]),
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
  { title: 'STATUS', value: ({ status }) => shownStatus(status), style: ({ status }) => statusStyle(status) },
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
