import { inParts, valueTable } from '../../many-rows.ts';
import { changeAll, type Script } from '../../script.ts';

/** The newest exchange of a worker, its answer, and how long its lease lasts from then on. */
export interface Renewal {
  workerId: number;
  seq: number;
  answer: string;
  expiresAt: number;
}

/** Each of the workers was locked and read in this transaction. */
export function* renewLeases(renewals: readonly Renewal[]): Script<void> {
  for (const part of inParts(renewals)) {
    const table = valueTable(
      ['bigint', 'bigint', 'text', 'bigint'],
      part.map(({ workerId, seq, answer, expiresAt }) => [workerId, seq, answer, expiresAt]),
    );
    yield* changeAll(
      part.length,
      `update worker set last_seq = renewal.column2, last_result = renewal.column3,
         lease_expires_at = renewal.column4
       from ${table.sql} as renewal where worker.id = renewal.column1`,
      ...table.values,
    );
  }
}
