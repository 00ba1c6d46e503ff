import { evaluationOf } from '../../core/evaluation.ts';
import { jobLabel } from '../../core/job-label.ts';
import { formatDuration } from '../../core/quantity.ts';
import type { AttemptRecord, EventRecord, JobRecord, WorkflowStatus } from '../../core/records.ts';
import type { SettingOrigin } from '../config/resolve-settings.ts';
import { SETTINGS } from '../config/settings.ts';
import { eventText } from './event-text.ts';
import { shortTime } from './local-time.ts';
import { recordLabel } from './record-label.ts';
import type { Check } from './renderer.ts';
import type { Style } from './styled-line.ts';
import type { TextStyle } from './text-style.ts';
import { type Column, textTable } from './text-table.ts';
import { endedCount, stateStyle, statusStyle, workflowState } from './workflow-state.ts';

function table<T>(columns: Column<T>[], rows: readonly T[], style: TextStyle, empty: string): string[] {
  return rows.length === 0 ? [empty] : textTable(columns, rows, style.width, style.paint);
}

export function workflowsTable(statuses: WorkflowStatus[], more: number, style: TextStyle): string[] {
  const columns: Column<WorkflowStatus>[] = [
    { title: 'ID', value: ({ workflow }) => workflow.id, align: 'right' },
    { title: 'NAME', value: ({ workflow }) => workflow.name, shrink: 'middle' },
    { title: 'STATE', value: workflowState, style: (row) => stateStyle(workflowState(row)) },
    { title: 'RUN', value: ({ workflow }) => workflow.run_id, align: 'right' },
    { title: 'JOBS', value: ({ workflow }) => workflow.job_count, align: 'right' },
    { title: 'ENDED', value: ({ counts }) => endedCount(counts), align: 'right' },
    {
      title: 'FAILED',
      value: ({ counts }) => counts.failed + counts.terminated,
      align: 'right',
      style: ({ counts }) => (counts.failed + counts.terminated > 0 ? 'red' : undefined),
    },
    { title: 'CREATED', value: ({ workflow }) => shortTime(workflow.created_at_ms, style.now) },
  ];
  const lines = table(columns, statuses, style, 'no workflows yet');
  return more > 0 ? [...lines, style.paint('dim', `and ${more} older ones; --limit shows more`)] : lines;
}

export function jobsTable(jobs: JobRecord[], style: TextStyle): string[] {
  const columns: Column<JobRecord>[] = [
    { title: 'ID', value: (job) => job.id, align: 'right' },
    { title: 'NAME', value: jobLabel, shrink: 'middle' },
    { title: 'STATUS', value: (job) => job.status, style: (job) => statusStyle(job.status) },
    { title: 'ATTEMPT', value: (job) => job.attempt_id, align: 'right' },
    { title: 'FAILURES', value: (job) => job.failure_count, align: 'right' },
    { title: 'LOST', value: (job) => job.preemption_count, align: 'right' },
    { title: 'REASON', value: (job) => jobReason(job, style.now), shrink: 'end' },
  ];
  return table(columns, jobs, style, 'no jobs match');
}

function jobReason(job: JobRecord, now: number): string {
  const wait = job.retry_available_at_ms - now;
  const due = job.status === 'ready' && wait > 0 ? ` (due in ${formatDuration(wait)})` : '';
  return `${job.reason ?? '-'}${due}`;
}

export function attemptsTable(attempts: AttemptRecord[], style: TextStyle): string[] {
  const columns: Column<AttemptRecord>[] = [
    { title: 'JOB', value: recordLabel, shrink: 'middle' },
    { title: 'RUN', value: (attempt) => attempt.run_id, align: 'right' },
    { title: 'ATTEMPT', value: (attempt) => attempt.attempt_id, align: 'right' },
    { title: 'STATE', value: (attempt) => attempt.state, style: attemptStyle },
    { title: 'OUTCOME', value: attemptOutcome, shrink: 'end' },
    {
      title: 'STARTED',
      value: ({ started_at_ms }) => (started_at_ms === null ? null : shortTime(started_at_ms, style.now)),
    },
    { title: 'TOOK', value: (attempt) => attemptDuration(attempt, style.now), align: 'right' },
    { title: 'REASON', value: (attempt) => attempt.reason, shrink: 'end' },
  ];
  if (attempts.some(({ caller }) => caller !== null)) {
    columns.splice(3, 0, { title: 'CALLED BY', value: ({ caller }) => caller, shrink: 'middle' });
  }
  return table(columns, attempts, style, 'no attempts yet');
}

function attemptStyle({ state }: AttemptRecord): Style {
  if (state === 'SUCCEEDED') return 'green';
  if (state === 'FAILED') return 'red';
  return state === 'RUNNING' || state === 'PENDING' ? 'cyan' : 'yellow';
}

export function attemptOutcome(attempt: AttemptRecord): string {
  if (attempt.verdict === 'disable') return 'not run';
  const checked = evaluationOf(attempt.evaluations, 'fail_if');
  // Its exit code says nothing of why it failed.
  if (attempt.error === 'exit 0' && checked !== null)
    return `exit 0, but ${checked.ok ? 'its fail_if is true' : 'its fail_if cannot be evaluated'}`;
  return attempt.error ?? (attempt.state === 'SUCCEEDED' ? 'exit 0' : '-');
}

function attemptDuration({ started_at_ms, finished_at_ms }: AttemptRecord, now: number): string | null {
  return started_at_ms === null ? null : formatDuration(Math.max(0, (finished_at_ms ?? now) - started_at_ms));
}

export function eventsTable(events: EventRecord[], style: TextStyle): string[] {
  const columns: Column<EventRecord>[] = [
    { title: 'ID', value: (event) => event.id, align: 'right' },
    { title: 'TIME', value: (event) => shortTime(event.at_ms, style.now) },
    { title: 'EVENT', value: (event) => event.type },
    {
      title: 'JOB',
      value: ({ job_name, scope }) => (job_name === null ? null : recordLabel({ job_name, scope })),
      shrink: 'middle',
    },
    { title: 'ATTEMPT', value: (event) => event.attempt_id, align: 'right' },
    { title: 'ACTOR', value: (event) => event.actor },
    { title: 'REASON', value: eventText, shrink: 'end' },
  ];
  return table(columns, events, style, 'no events yet');
}

export function settingsTable(origins: SettingOrigin[], style: TextStyle): string[] {
  const columns: Column<SettingOrigin>[] = [
    { title: 'KEY', value: ({ key }) => key },
    { title: 'VALUE', value: ({ key, value }) => SETTINGS[key].show(value as never), shrink: 'end' },
    {
      title: 'ORIGIN',
      value: ({ origin, source }) => (source === null ? origin : `${origin} ${source}`),
      shrink: 'middle',
      style: ({ origin }) => (origin === 'default' ? 'dim' : undefined),
    },
  ];
  return table(columns, origins, style, '');
}

export function checksTable(checks: Check[], style: TextStyle): string[] {
  const marks: Record<Check['result'], Style> = { ok: 'green', warn: 'yellow', fail: 'red' };
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks.flatMap(({ name, result, detail, hint }) => {
    const line = `${style.paint(marks[result], result.padEnd(4))}  ${name.padEnd(width)}  ${detail}`;
    return hint === null ? [line] : [line, `${' '.repeat(width + 8)}${hint}`];
  });
}
