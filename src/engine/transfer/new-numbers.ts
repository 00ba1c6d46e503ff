import type { NumberedTable } from '../../store/rows/workflows/workflow-content.ts';
import type { Row, SqlValue } from '../../store/script.ts';
import { unfit } from './transfer-format.ts';

/** The numbers that rows of an export were given here, by those that they had there. */
export class NewNumbers {
  readonly #known = new Map<string, Map<number, number>>();

  add(table: string, old: number, number: number): void {
    const numbers = this.#known.get(table) ?? new Map<number, number>();
    this.#known.set(table, numbers);
    if (numbers.has(old)) throw unfit(`it has ${table} ${old} twice`);
    numbers.set(old, number);
  }

  find(table: NumberedTable, old: SqlValue): number | undefined {
    return this.#known.get(table)?.get(Number(old));
  }

  of(table: NumberedTable, old: SqlValue): number | null {
    if (old === null) return null;
    const number = this.find(table, old);
    if (number === undefined) throw unfit(`it refers to a ${table} ${String(old)} that it does not have`);
    return number;
  }

  /** What an event is about; what is not in the export, such as an allocation, keeps its number. */
  inEvent(data: string): string {
    const facts = JSON.parse(data) as Row;
    for (const [key, table] of [
      ['worker_id', 'worker'],
      ['action_id', 'action'],
    ] as const) {
      const number = typeof facts[key] === 'number' ? this.find(table, facts[key]) : undefined;
      if (number !== undefined) facts[key] = number;
    }
    return JSON.stringify(facts);
  }

  /** The call that a job serves, and the state that it returns to. */
  inServes(serves: SqlValue): string | null {
    if (serves === null) return null;
    const { call_id, returns_to } = JSON.parse(String(serves)) as {
      call_id: number;
      returns_to: { status: string; because?: number | null };
    };
    const { because } = returns_to;
    return JSON.stringify({
      call_id: this.of('call', call_id),
      returns_to: because == null ? returns_to : { ...returns_to, because: this.of('job', because) },
    });
  }
}
