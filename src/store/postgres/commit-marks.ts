import { randomUUID } from 'node:crypto';
import { all, type Script, type Statement } from '../script.ts';

/** Marks that no process has used for so long belong to none. */
const FORGOTTEN_AFTER_MS = 7 * 24 * 3_600_000;

/** The time of the database, in the middle of a transaction too. */
export const DATABASE_MS = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** A row that a transaction writes besides, and by which it is known later whether it was committed. */
export interface CommitMark {
  id: string;
  /** Of the newest transaction that wrote it. */
  count: number;
}

/**
 * The marks of one process: as many as it has transactions at a time. The number of a transaction alone does not show
 * its outcome after a crash: PostgreSQL gives a number again whose transaction left no trace on disk, and then says of
 * the lost one how the other ended.
 */
export class CommitMarks {
  readonly #free: CommitMark[] = [];

  /** For one transaction; given back when its outcome is known. */
  take(): CommitMark {
    const mark = this.#free.pop() ?? { id: randomUUID(), count: 0 };
    mark.count += 1;
    return mark;
  }

  giveBack(mark: CommitMark): void {
    this.#free.push(mark);
  }
}

/** By the clock of the database, which need not be read first. */
export function writeMark({ id, count }: CommitMark): Statement {
  return {
    sql: `insert into commit_mark (id, count, touched_at) values (?, ?, ${DATABASE_MS})
      on conflict (id) do update set count = excluded.count, touched_at = excluded.touched_at`,
    values: [id, count],
    expect: 'any',
  };
}

/** Whether the transaction that took the mark was committed, once it is not under way any more. */
export function* isMarked({ id, count }: CommitMark): Script<boolean> {
  const rows = yield* all<{ count: number }>('select count from commit_mark where id = ?', id);
  return rows[0] !== undefined && rows[0].count >= count;
}

export function* forgetMarks(now: number): Script<void> {
  yield {
    sql: 'delete from commit_mark where touched_at < ?',
    values: [now - FORGOTTEN_AFTER_MS],
    expect: 'any',
  };
}
