import type { WorkflowSummary } from '../../contract/records/overview.ts';
import type { EventRecord, JobRecord, WorkerRecord, WorkflowStatus } from '../../contract/records/records.ts';
import type { RequestRecord } from '../../contract/records/request.ts';
import type { FailureSummary } from '../../contract/records/resolution.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { shownStatus } from '../../core/job/shown-status.ts';
import { formatDuration, formatSize } from '../../core/text/quantity.ts';
import { eventText } from '../../views/events/event-text.ts';
import { endedCount, jobCount, workflowState } from '../../views/workflow-state.ts';
import { shortTime } from '../terminal/local-time.ts';
import type { StyledLine } from '../terminal/styled-line.ts';
import { type Column, tableLines } from '../terminal/text-table.ts';
import { endText } from '../texts/failures-text.ts';
import { WORKER_STYLES } from '../texts/lists/workers.ts';
import { recordLabel } from '../texts/parts/record-label.ts';
import { requestStyle } from '../texts/requests/request-style.ts';
import { stateStyle, statusStyle } from '../texts/workflow-state.ts';
import type { RequestTarget, Target } from './plans.ts';
import type { ListData } from './top-state.ts';

/** The rows of a list: how they are drawn, by what they are known again, and what an action on them is for. */
export interface ListRows {
  /** The titles, then a line for each row. */
  lines(width: number): StyledLine[];
  keys: string[];
  targets: (Target | RequestTarget | null)[];
  /** Shown where there are none. */
  empty: string;
}

/** `from`: left out of a narrower list. */
type ListColumn<T> = Column<T> & { from?: number };

export function listRows(data: ListData, now: number): ListRows {
  switch (data.view) {
    case 'workflows':
      return rows(workflowColumns(now), data.items, {
        key: ({ workflow }) => workflow.id,
        target: ({ workflow }) => ({ kind: 'workflow', id: workflow.id, name: workflow.name }),
        empty: 'no workflows',
      });
    case 'jobs':
      return rows(jobColumns(now), data.items, {
        key: ({ id }) => id,
        target: (job) => jobTarget(job.workflow_id, job.id, jobLabel(job)),
        empty: 'no jobs match',
      });
    case 'running': {
      const { workflow, running } = data.status;
      return rows(runningColumns(now), running, {
        key: ({ job_id }) => job_id,
        target: ({ job_id, name }) => jobTarget(workflow.id, job_id, name),
        empty: 'nothing runs',
      });
    }
    case 'failures':
      return rows(failureColumns(now), data.groups, {
        key: ({ fingerprint }) => fingerprint,
        target: (group) => ({ kind: 'group', workflow: data.status.workflow.id, group }),
        empty: 'no failures',
      });
    case 'events':
      return rows(eventColumns(now), data.items, {
        key: ({ id }) => id,
        target: ({ workflow_id, job_id, job_name, scope }) =>
          job_id === null || job_name === null
            ? null
            : jobTarget(workflow_id, job_id, recordLabel({ job_name, scope })),
        empty: 'no events yet',
      });
    case 'workers':
      return rows(workerColumns(now), data.items, {
        key: ({ id }) => id,
        target: () => null,
        empty: 'no workers',
      });
    case 'requests':
      return rows(REQUEST_COLUMNS, data.items, {
        key: requestNameOf,
        target: (request) => ({ kind: 'request', name: requestNameOf(request) }),
        empty: 'no requests',
      });
  }
}

function rows<T>(
  columns: readonly ListColumn<T>[],
  items: readonly T[],
  {
    key,
    target,
    empty,
  }: { key(item: T): string | number; target(item: T): Target | RequestTarget | null; empty: string },
): ListRows {
  return {
    lines: (width) =>
      tableLines(
        columns.filter(({ from = 0 }) => width >= from),
        items,
        width,
      ),
    keys: items.map((item) => String(key(item))),
    targets: items.map(target),
    empty,
  };
}

function jobTarget(workflow: number, job: number, name: string): Target {
  return { kind: 'job', workflow, job, name };
}

function workflowColumns(now: number): ListColumn<WorkflowSummary>[] {
  return [
    { title: 'ID', value: ({ workflow }) => workflow.id, align: 'right' },
    { title: 'NAME', value: ({ workflow }) => workflow.name, shrink: 'middle' },
    { title: 'STATE', value: workflowState, style: (row) => stateStyle(workflowState(row)) },
    { title: 'ENDED', value: ({ counts }) => `${endedCount(counts)}/${jobCount(counts)}`, align: 'right' },
    {
      title: 'FAILED',
      value: ({ counts }) => counts.failed + counts.terminated,
      align: 'right',
      style: ({ counts }) => (counts.failed + counts.terminated > 0 ? 'red' : undefined),
    },
    {
      title: 'WAITING',
      value: ({ counts }) => counts.pending_failed,
      align: 'right',
      style: ({ counts }) => (counts.pending_failed > 0 ? 'yellow' : undefined),
    },
    // In 80 columns names need the room more.
    { title: 'CREATED', value: ({ workflow }) => shortTime(workflow.created_at_ms, now), from: 100 },
  ];
}

function jobColumns(now: number): Column<JobRecord>[] {
  return [
    { title: 'ID', value: ({ id }) => id, align: 'right' },
    { title: 'NAME', value: jobLabel, shrink: 'middle' },
    {
      title: 'STATUS',
      value: ({ status }) => shownStatus(status),
      style: ({ status }) => statusStyle(status),
    },
    { title: 'ATTEMPT', value: ({ attempt_id }) => attempt_id, align: 'right' },
    { title: 'REASON', value: (job) => reasonText(job, now), shrink: 'end' },
  ];
}

function reasonText({ reason, status, retry_available_at_ms }: JobRecord, now: number): string | null {
  const wait = retry_available_at_ms - now;
  return status === 'ready' && wait > 0 ? `due in ${formatDuration(wait)}: ${reason ?? ''}` : reason;
}

function runningColumns(now: number): Column<WorkflowStatus['running'][number]>[] {
  return [
    { title: 'ID', value: ({ job_id }) => job_id, align: 'right' },
    { title: 'NAME', value: ({ name }) => name, shrink: 'middle' },
    { title: 'ATTEMPT', value: ({ attempt_id }) => attempt_id, align: 'right' },
    {
      title: 'RUNNING',
      value: ({ started_at_ms }) => formatDuration(Math.max(0, now - started_at_ms)),
      align: 'right',
    },
  ];
}

function failureColumns(now: number): Column<FailureSummary>[] {
  return [
    { title: 'FINGERPRINT', value: ({ fingerprint }) => fingerprint },
    { title: 'JOBS', value: ({ jobs }) => jobs, align: 'right' },
    {
      title: 'WAITING',
      value: ({ waiting }) => waiting,
      align: 'right',
      style: ({ waiting }) => (waiting > 0 ? 'yellow' : undefined),
    },
    { title: 'LIKE', value: ({ sample }) => sample.name, shrink: 'middle' },
    { title: 'AT', value: ({ sample }) => shortTime(sample.finished_at_ms, now) },
    { title: 'ENDED', value: endText, shrink: 'end', style: () => 'red' },
  ];
}

function eventColumns(now: number): Column<EventRecord>[] {
  return [
    { title: 'TIME', value: ({ at_ms }) => shortTime(at_ms, now) },
    { title: 'EVENT', value: ({ type }) => type },
    {
      title: 'JOB',
      value: ({ job_name, scope }) => (job_name === null ? null : recordLabel({ job_name, scope })),
      shrink: 'middle',
    },
    { title: 'REASON', value: eventText, shrink: 'end' },
  ];
}

function workerColumns(now: number): Column<WorkerRecord>[] {
  return [
    { title: 'ID', value: ({ id }) => id, align: 'right' },
    { title: 'STATE', value: ({ state }) => state, style: ({ state }) => WORKER_STYLES[state] },
    { title: 'HOST', value: ({ host }) => host, shrink: 'middle' },
    { title: 'PID', value: ({ pid }) => pid, align: 'right' },
    { title: 'SITE', value: ({ site }) => site, shrink: 'end' },
    { title: 'CPUS', value: ({ cpus }) => cpus, align: 'right' },
    { title: 'MEMORY', value: ({ memory_bytes }) => formatSize(memory_bytes), align: 'right' },
    { title: 'RUNNING', value: ({ running }) => running, align: 'right' },
    { title: 'SINCE', value: ({ registered_at_ms }) => shortTime(registered_at_ms, now) },
  ];
}

/** With the version, which older ones need. */
export function requestNameOf({
  request_name,
  version,
}: Pick<RequestRecord, 'request_name' | 'version'>): string {
  return `${request_name}@${version}`;
}

const REQUEST_COLUMNS: Column<RequestRecord>[] = [
  { title: 'REQUEST', value: requestNameOf, shrink: 'middle' },
  { title: 'STATE', value: ({ status }) => status, style: ({ status }) => requestStyle(status) },
  { title: 'ROUNDS', value: ({ round_count }) => round_count, align: 'right' },
  { title: 'UNITS', value: ({ rounds }) => doneUnits(rounds.at(-1)), align: 'right' },
  { title: 'DELIVERED', value: ({ delivered, total }) => `${delivered}/${total}`, align: 'right' },
  { title: 'HELD', value: ({ hold }) => hold?.text ?? null, shrink: 'end' },
];

/** Of the newest round: `12/40`, and how many failed. */
function doneUnits(round: RequestRecord['rounds'][number] | undefined): string | null {
  if (round === undefined) return null;
  const { done, total, failed } = round.units;
  return `${done}/${total}${failed > 0 ? ` (${failed} failed)` : ''}`;
}
