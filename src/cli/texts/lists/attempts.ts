import type { AttemptRecord } from '../../../contract/records/records.ts';
import { formatDuration } from '../../../core/text/quantity.ts';
import { attemptOutcome, attemptRuntime } from '../../../views/attempt.ts';
import { shortTime } from '../../terminal/local-time.ts';
import type { Style } from '../../terminal/styled-line.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import type { Column } from '../../terminal/text-table.ts';
import type { View } from '../../terminal/view.ts';
import { recordLabel } from '../parts/record-label.ts';
import { listTable } from './list-table.ts';

export const attemptsView: View<AttemptRecord[]> = {
  json: (attempts) => attempts,
  table: attemptsTable,
  quiet: (attempts) =>
    attempts.map((attempt) => `${recordLabel(attempt)} r${attempt.run_id} a${attempt.attempt_id}`),
};

function attemptsTable(attempts: AttemptRecord[], style: TextStyle): string[] {
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
  return listTable(columns, attempts, style, 'no attempts yet');
}

function attemptStyle({ state }: AttemptRecord): Style {
  if (state === 'SUCCEEDED') return 'green';
  if (state === 'FAILED') return 'red';
  return state === 'RUNNING' || state === 'PENDING' ? 'cyan' : 'yellow';
}

function attemptDuration(attempt: AttemptRecord, now: number): string | null {
  const ran = attemptRuntime(attempt, now);
  return ran === null ? null : formatDuration(ran);
}
