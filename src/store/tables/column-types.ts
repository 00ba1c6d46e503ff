import type { Dialect } from '../dialect.ts';

/** Types that the databases write differently. */
export interface ColumnTypes {
  /** A primary key that only rises: SQLite would use the highest id again after a delete, and tokens must not come back. */
  id: string;
  /** A name; compared byte by byte, as SQLite does, whatever language the database was made for. */
  name: string;
  bytes: string;
  real: string;
}

export const COLUMN_TYPES: Record<Dialect, ColumnTypes> = {
  sqlite: { id: 'integer primary key autoincrement', name: 'text', bytes: 'blob', real: 'real' },
  postgres: {
    id: 'bigint generated always as identity primary key',
    name: 'text collate "C"',
    bytes: 'bytea',
    real: 'double precision',
  },
};
