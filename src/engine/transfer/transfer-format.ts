import { HoldfastError } from '../../core/errors.ts';
import { WORKER_COLUMNS } from '../../store/rows/workflows/transfer-rows.ts';
import { type ColumnKind, WORKFLOW_TABLES } from '../../store/rows/workflows/workflow-content.ts';

/*
 * An export is lines of JSON. The first is the header. Each table follows as a line with its name and columns and one
 * line for each row, an array of values. The last line has the number of rows and the checksum of all lines before it.
 */

export const FORMAT = 'holdfast-workflow';
/** Raised with every change of the tables or their columns. */
export const VERSION = 2;

export interface ExportHeader {
  format: typeof FORMAT;
  version: number;
  /** The Holdfast that wrote it. */
  program: string;
  exported_at_ms: number;
  workflow_id: number;
  name: string;
  /** Rows by table; logs are not counted beforehand. */
  counts: Record<string, number>;
}

export interface Section {
  name: string;
  columns: Readonly<Record<string, ColumnKind>>;
}

/** The tables of an export in their order. Workers come before what they ran. */
export const SECTIONS: readonly Section[] = WORKFLOW_TABLES.flatMap(({ name, columns }) => {
  if (columns === null) return [];
  const section = { name, columns };
  return name === 'workflow' ? [section, { name: 'worker', columns: WORKER_COLUMNS }] : [section];
});

export const LOGS = 'attempt_log';

/** `place`: the line, from 1; null: the file as a whole. */
export function unfit(problem: string, place: number | null = null): HoldfastError {
  return new HoldfastError('INVALID_EXPORT', {
    problem: place === null ? problem : `line ${place}: ${problem}`,
  });
}
