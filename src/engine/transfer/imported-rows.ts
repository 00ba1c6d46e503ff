import type { ImportRequest } from '../../contract/engine.ts';
import { ownerOf } from '../../core/access/may-change.ts';
import { TRACE_TARGET } from '../../store/rows/traces/trace-rows.ts';
import {
  findDagWorker,
  insertRows,
  type JobLinks,
  type Values,
} from '../../store/rows/workflows/transfer-rows.ts';
import { NUMBERED, type NumberedTable } from '../../store/rows/workflows/workflow-content.ts';
import type { Row, Script, SqlValue } from '../../store/script.ts';
import { NewNumbers } from './new-numbers.ts';
import type { Section } from './transfer-format.ts';

/** Numbers of rows that are stored after the job. */
const LATER: ReadonlySet<string> = new Set(['job.canceled_by', 'job.waiting_token', 'job.serves']);

const UNHELD: Row = { server: null, server_lease_expires_at: null };

const isNumbered = (table: string): table is NumberedTable => (NUMBERED as readonly string[]).includes(table);

/** Turns rows of an export into rows of this database, with new numbers. */
export class ImportedRows {
  workflowId: number | null = null;
  /** New rows that belong to no workflow. */
  readonly workers: number[] = [];
  /** Where the workflow ran before. */
  source: { cwd: SqlValue; output_dir: SqlValue } = { cwd: null, output_dir: null };
  readonly #request: ImportRequest;
  readonly #numbers = new NewNumbers();
  readonly #unlinked: { old: SqlValue; values: Row }[] = [];

  constructor(request: ImportRequest) {
    this.#request = request;
  }

  /** Returns the numbers of the rows, in their order; null: known before. */
  *insert(
    { name, columns }: Section,
    rows: readonly Row[],
    storingUntil: number,
    now: number,
  ): Script<{ number: number; isNew: boolean }[]> {
    if (name === 'worker') return yield* this.#insertWorkers(rows, now);
    const names = Object.keys(columns).filter((column) => column !== 'id');
    const stored = rows.map((row): Values => {
      const changed = { ...row, ...this.#settled(name, row, storingUntil) };
      return names.map((column) => this.#number(name, column, columns[column]!, changed[column]!));
    });
    const hasId = 'id' in columns;
    const numbers = yield* insertRows(name, names, stored, hasId);
    return numbers.map((number) => ({ number, isNew: true }));
  }

  /** They were stored. */
  note({ name }: Section, rows: readonly Row[], stored: readonly { number: number; isNew: boolean }[]): void {
    for (const [index, row] of rows.entries()) {
      if (name === 'job' && (row.canceled_by !== null || row.waiting_token !== null || row.serves !== null)) {
        this.#unlinked.push({ old: row.id!, values: row });
      }
      if (!isNumbered(name)) continue;
      const { number, isNew } = stored[index]!;
      this.#numbers.add(name, Number(row.id), number);
      if (name === 'worker' && isNew) this.workers.push(number);
      if (name === 'workflow') {
        this.workflowId = number;
        this.source = { cwd: row.cwd!, output_dir: row.output_dir! };
      }
    }
  }

  /** What jobs refer to, once all of it is stored. */
  links(): JobLinks[] {
    return this.#unlinked.map(({ old, values: { waiting_token, canceled_by, serves } }) => ({
      id: this.#numbers.of('job', old)!,
      waiting_token: this.#numbers.of('attempt', waiting_token!),
      canceled_by: this.#numbers.of('job', canceled_by!),
      serves: this.#numbers.inServes(serves!),
    }));
  }

  #number(table: string, column: string, kind: Section['columns'][string], value: SqlValue): SqlValue {
    if (LATER.has(`${table}.${column}`)) return value;
    if (table === 'event' && column === 'data') return this.#numbers.inEvent(String(value));
    return isNumbered(kind) ? this.#numbers.of(kind, value) : value;
  }

  /** What is not taken from the export: where it runs and by whom is decided here. */
  #settled(table: string, row: Row, storingUntil: number): Row {
    if (table === 'errand') {
      const isOpen = row.holder === 'server' && row.finished_at === null;
      // It is sent where the workflow was exported.
      const isSent = isOpen && row.kind === 'notification';
      // Orders for spans name events by numbers that are others here.
      const here = row.target === TRACE_TARGET ? { ...UNHELD, target: null } : UNHELD;
      if (isSent) return { ...here, finished_at: row.ordered_at!, result: '{"exported":true}' };
      return { ...here, ...(isOpen && { started_at: null }) };
    }
    if (table !== 'workflow') return {};
    const { cwd, output_dir, shared, actor } = this.#request;
    return {
      cwd,
      output_dir,
      shared: shared ? 1 : 0,
      executor: 'workers',
      storing_until: storingUntil,
      archived_at: null,
      request_id: null,
      sites: null,
      run_settings: null,
      owned_by: ownerOf(actor),
      subscribers: '[]',
    };
  }

  /** They have left, and nobody can act as one of them. What DAGMan ran at a site has one worker in a database. */
  *#insertWorkers(rows: readonly Row[], now: number): Script<{ number: number; isNew: boolean }[]> {
    const found: { number: number; isNew: boolean }[] = [];
    for (const { id: _, ...row } of rows) {
      const known = row.kind === 'dag' ? yield* findDagWorker(String(row.site)) : undefined;
      if (known !== undefined) {
        found.push({ number: known, isNew: false });
        continue;
      }
      const all: Row = {
        ...row,
        boot_id: 'imported',
        start_time: 'imported',
        lease_expires_at: 0,
        retired_at: row.kind === 'dag' ? null : now,
        secret_hash: 'imported',
      };
      const [number] = yield* insertRows('worker', Object.keys(all), [Object.values(all)], true);
      found.push({ number: number!, isNew: true });
    }
    return found;
  }
}
