import { formatDuration } from '../../core/quantity.ts';
import type { WorkflowStatus } from '../../core/records.ts';
import { clockTime, shortTime } from './local-time.ts';
import { fitLine, paintLine, type StyledLine } from './styled-line.ts';
import type { TextStyle } from './text-style.ts';
import { visibleText } from './visible-text.ts';
import { countsLine, stateStyle, workflowState } from './workflow-state.ts';

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

export function statusText(status: WorkflowStatus, style: TextStyle): string[] {
  const { now } = style;
  const lines: StyledLine[] = [headline(status, now), [{ text: '  ' }, ...countsLine(status.counts)]];
  for (const worker of status.workers) {
    lines.push([{ text: `  driven by process ${worker.pid} on ${visibleText(worker.host)}`, style: 'dim' }]);
  }
  for (const job of status.running) {
    lines.push([
      { text: '  running  ', style: 'cyan' },
      {
        text: `${visibleText(job.name)}  attempt ${job.attempt_id}, ${formatDuration(now - job.started_at_ms)}`,
      },
    ]);
  }
  for (const job of status.waiting) {
    lines.push([
      { text: '  retry    ', style: 'yellow' },
      {
        text: `${visibleText(job.name)}  at ${clockTime(job.retry_available_at_ms)}: ${visibleText(`${job.outcome} - ${job.reason}`)}`,
      },
    ]);
  }
  for (const job of status.failures) {
    lines.push([
      { text: '  failure  ', style: 'red' },
      { text: `${visibleText(job.name)}  attempt ${job.attempt_id} ${shortTime(job.finished_at_ms, now)}: ` },
      { text: visibleText(`${job.outcome} - ${job.reason}`) },
    ]);
  }
  return lines.map((line) => paintLine(fitLine(line, style.width), style.paint));
}
