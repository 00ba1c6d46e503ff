import type { WorkerRecord } from '../../../contract/records/records.ts';
import { formatSize } from '../../../core/text/quantity.ts';
import { shortTime } from '../../terminal/local-time.ts';
import type { Style } from '../../terminal/styled-line.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import type { Column } from '../../terminal/text-table.ts';
import type { View } from '../../terminal/view.ts';
import { listTable } from './list-table.ts';

export const workersView: View<WorkerRecord[]> = {
  json: (workers) => workers,
  table: workersTable,
  quiet: (workers) => workers.map(({ id }) => id),
};

export const WORKER_STYLES: Record<WorkerRecord['state'], Style> = {
  active: 'green',
  draining: 'yellow',
  suspect: 'yellow',
  lost: 'red',
  retired: 'dim',
};

function workersTable(workers: WorkerRecord[], style: TextStyle): string[] {
  const columns: Column<WorkerRecord>[] = [
    { title: 'ID', value: ({ id }) => id, align: 'right' },
    { title: 'STATE', value: ({ state }) => state, style: ({ state }) => WORKER_STYLES[state] },
    { title: 'KIND', value: ({ kind }) => kind },
    { title: 'HOST', value: ({ host }) => host, shrink: 'middle' },
    { title: 'PID', value: ({ pid }) => pid, align: 'right' },
    { title: 'SITE', value: ({ site }) => site },
    { title: 'LABELS', value: ({ labels }) => labels.join(',') || null, shrink: 'end' },
    { title: 'CPUS', value: ({ cpus }) => cpus, align: 'right' },
    { title: 'MEMORY', value: ({ memory_bytes }) => formatSize(memory_bytes), align: 'right' },
    { title: 'GPUS', value: ({ gpus }) => gpus, align: 'right' },
    { title: 'RUNNING', value: ({ running }) => running, align: 'right' },
    { title: 'SINCE', value: ({ registered_at_ms }) => shortTime(registered_at_ms, style.now) },
  ];
  return listTable(columns, workers, style, 'no workers');
}
