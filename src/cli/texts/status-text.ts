import type { ErrandRecord } from '../../contract/records/errand.ts';
import type { WorkerRecord, WorkflowStatus } from '../../contract/records/records.ts';
import { formatDuration } from '../../core/text/quantity.ts';
import { outcomeAndReason } from '../../views/attempt.ts';
import { nextHints } from '../../views/hints.ts';
import { pausedBy } from '../../views/pause-text.ts';
import { visibleText } from '../../views/visible-text.ts';
import { failuresWithoutRetry, workflowState } from '../../views/workflow-state.ts';
import { clockTime, shortTime } from '../terminal/local-time.ts';
import { fitLine, paintLine, type StyledLine } from '../terminal/styled-line.ts';
import type { TextStyle } from '../terminal/text-style.ts';
import type { View } from '../terminal/view.ts';
import { nextLines } from './parts/hint-command.ts';
import { untilText } from './parts/until-text.ts';
import { countsLine, stateStyle } from './workflow-state.ts';

/** `workflow 3 nightly, run 1: completed in 1m02s`. */
export function headline(status: WorkflowStatus, now: number): StyledLine {
  const { workflow, started_at_ms, finished_at_ms } = status;
  const state = workflowState(status);
  const took = started_at_ms === null ? null : formatDuration((finished_at_ms ?? now) - started_at_ms);
  const time =
    took === null ? ', not started yet' : status.complete ? ` in ${took}` : `, started ${took} ago`;
  return [
    { text: `workflow ${workflow.id} ` },
    { text: visibleText(workflow.name), style: 'bold' },
    { text: `, run ${workflow.run_id}: ` },
    { text: state, style: stateStyle(state) },
    { text: time },
  ];
}

function suspectText({ id, lease_ms, lease_expires_at_ms }: WorkerRecord, now: number): string {
  const wholeSeconds = (ms: number) => formatDuration(Math.max(0, Math.round(ms / 1000)) * 1000);
  const silence = wholeSeconds(now - (lease_expires_at_ms - lease_ms));
  return `worker ${id} is suspect: silent for ${silence}; its jobs are lost in ${wholeSeconds(lease_expires_at_ms - now)} without contact`;
}

export const statusView: View<WorkflowStatus> = {
  json: (status) => status,
  table: statusText,
  quiet: (status) => [workflowState(status)],
};

/** The site and the labels of a worker, where it has any. */
function markText({ site, labels }: WorkerRecord): string {
  const marks = [
    ...(site === 'local' ? [] : [`site ${site}`]),
    ...(labels.length === 0 ? [] : [`${labels.length === 1 ? 'label' : 'labels'} ${labels.join(', ')}`]),
  ];
  return marks.length === 0 ? '' : ` (${marks.join(', ')})`;
}

function statusText(status: WorkflowStatus, style: TextStyle): string[] {
  const { now } = style;
  const lines: StyledLine[] = [headline(status, now), [{ text: '  ' }, ...countsLine(status.counts)]];
  const { until, shared, owner, access_groups: groups } = status.workflow;
  if (shared && owner !== '')
    lines.push([{ text: `  owner ${visibleText([owner, ...groups].join(', '))}`, style: 'dim' }]);
  if (until !== null && status.held.jobs > 0)
    lines.push([{ text: `  ${untilText(until, status.held.jobs)}` }]);
  const paused = pausedBy(status.workflow);
  if (paused !== null)
    lines.push([{ text: `  ${paused} ${shortTime(status.workflow.paused!.at_ms, now)}`, style: 'yellow' }]);
  for (const worker of status.workers) {
    const driver = `process ${worker.pid} on ${worker.host}${markText(worker)}`;
    lines.push([{ text: `  driven by ${visibleText(driver)}`, style: 'dim' }]);
    if (worker.state === 'suspect') lines.push([{ text: `  ${suspectText(worker, now)}`, style: 'yellow' }]);
  }
  for (const line of allocationLines(status, now)) lines.push(line);
  // DAGMan needs no process of ours.
  const isLeft = status.workers.length === 0 && status.workflow.executor !== 'htcondor';
  for (const job of status.running) {
    lines.push([
      { text: '  running  ', style: 'cyan' },
      {
        text: `${visibleText(job.name)}  attempt ${job.attempt_id}, ${formatDuration(now - job.started_at_ms)}${isLeft ? '; its worker is gone' : ''}`,
      },
    ]);
  }
  for (const { name, outcome, reason, ...job } of status.waiting) {
    const wait = scriptText(job, now) ?? `at ${clockTime(job.retry_available_at_ms)}`;
    lines.push([
      { text: '  retry    ', style: 'yellow' },
      { text: `${visibleText(name)}  ${wait}: ${visibleText(outcomeAndReason(outcome, reason))}` },
    ]);
  }
  // Those that a retry waits for are named with it.
  for (const errand of status.errands.filter(({ kind }) => kind !== 'recovery')) {
    lines.push([{ text: '  beside   ', style: 'cyan' }, { text: errandText(errand, now) }]);
  }
  for (const job of failuresWithoutRetry(status)) {
    lines.push([
      { text: '  failure  ', style: 'red' },
      { text: `${visibleText(job.name)}  attempt ${job.attempt_id} ${shortTime(job.finished_at_ms, now)}: ` },
      { text: visibleText(outcomeAndReason(job.outcome, job.reason)) },
    ]);
  }
  if (status.actions_due > 0 && status.workers.length === 0) {
    const actions = status.actions_due === 1 ? '1 action has' : `${status.actions_due} actions have`;
    lines.push([{ text: `  ${actions} not run yet`, style: 'yellow' }]);
  }
  const text = lines.map((line) => paintLine(fitLine(line, style.width), style.paint));
  const next = nextHints(status)[0];
  return next === undefined || next.kind === 'wait' ? text : [...text, '', ...nextLines(next, style)];
}

/** Allocations that have not ended, and schedulers of which none is submitted. */
function allocationLines({ allocations, held_schedulers }: WorkflowStatus, now: number): StyledLine[] {
  const { queued, running } = allocations;
  const lines: StyledLine[] = [];
  if (queued + running > 0) {
    lines.push([{ text: `  Slurm allocations: ${running} running, ${queued} waiting`, style: 'dim' }]);
  }
  for (const { name, paused, reason, next_try_at_ms } of held_schedulers) {
    const until = next_try_at_ms === null ? '' : ` until ${shortTime(next_try_at_ms, now)}`;
    const state = paused ? 'is paused' : `waits${until}`;
    lines.push([{ text: visibleText(`  scheduler ${name} ${state}: ${reason}`), style: 'yellow' }]);
  }
  return lines;
}

/** `post script of b, running for 3s (limit 10m)`. */
function errandText({ kind, name, trigger, ...errand }: ErrandRecord, now: number): string {
  const names: Record<string, string> = {
    post: 'post script',
    evaluation: 'code',
    action: 'action',
    outputs: 'output hook',
  };
  const subject = trigger === null ? (name === null ? '' : ` of ${visibleText(name)}`) : ` ${trigger}`;
  const limit = errand.timeout_ms === null ? '' : ` (limit ${formatDuration(errand.timeout_ms)})`;
  const stopping = errand.cancel_requested ? ', being stopped' : '';
  return `${names[kind] ?? kind}${subject}, running for ${formatDuration(now - errand.started_at_ms)}${limit}${stopping}`;
}

/** That the recovery script of a job runs, and for how long it has; null if none does. */
export function scriptText(
  { recovery }: Pick<WorkflowStatus['waiting'][number], 'recovery'>,
  now: number,
): string | null {
  if (recovery === null) return null;
  const ran = formatDuration(now - recovery.started_at_ms);
  return `after its recovery script, which has been running for ${ran} of at most ${formatDuration(recovery.timeout_ms)}`;
}
