import { createHash } from 'node:crypto';
import type { ServedEngine } from '../../src/contract/engine.ts';
import { SECTIONS } from '../../src/engine/transfer/transfer-format.ts';
import { NUMBERED } from '../../src/store/rows/workflows/workflow-content.ts';

export const HERE = { cwd: '/here', output_dir: '/here/output', actor: 'ada', shared: false };

export async function exported(engine: ServedEngine, id: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of engine.exportWorkflow(id, '1.2.3')) lines.push(line);
  return lines;
}

export async function* asLines(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

export function importLines(engine: ServedEngine, lines: readonly string[], request = HERE) {
  return engine.importWorkflow(() => asLines(lines), request);
}

/** With an end that fits what comes before. */
export function sealed(lines: readonly string[]): string[] {
  const body = lines.filter((line) => !line.startsWith('{"end"'));
  const hash = createHash('sha256');
  for (const line of body) hash.update(line).update('\n');
  const rows = body.filter((line) => line.startsWith('[')).length;
  return [...body, JSON.stringify({ end: { rows, sha256: hash.digest('hex') } })];
}

/** What depends on where the workflow is, and not on what happened to it. */
const PLACE = new Set([
  'cwd',
  'owned_by',
  'output_dir',
  'shared',
  'executor',
  'storing_until',
  'archived_at',
  'run_settings',
]);
const OWN_NUMBER = new Set(['user_data', 'event', 'decision', 'errand']);

type Table = Record<string, unknown>[];

/** All rows of an export by table, with numbers counted from 1 in their order, and without the event of an import. */
export function content(lines: readonly string[]): Record<string, Table> {
  const numbers = new Map<string, number>();
  const seen: Record<string, number> = {};
  const tables: Record<string, Table> = {};
  let columns: string[] = [];
  let name = '';
  const rows: { name: string; row: Record<string, unknown> }[] = [];
  for (const line of lines.slice(1, -1)) {
    const parsed = JSON.parse(line) as unknown[] | { table: string; columns: string[] };
    if (!Array.isArray(parsed)) {
      ({ table: name, columns } = parsed);
      tables[name] = [];
      continue;
    }
    const row = Object.fromEntries(columns.map((column, index) => [column, parsed[index]]));
    if (name === 'event' && row.type === 'workflow_imported') continue;
    rows.push({ name, row });
    const count = (seen[name] ?? 0) + 1;
    seen[name] = count;
    if ('id' in row) numbers.set(`${name} ${row.id}`, count);
  }
  const counted = (kind: string, value: unknown) => (value === null ? null : numbers.get(`${kind} ${value}`));
  for (const { name: table, row } of rows) {
    const kinds = SECTIONS.find((section) => section.name === table)!.columns;
    const shown: Record<string, unknown> = {};
    for (const [column, value] of Object.entries(row)) {
      const kind = kinds[column]!;
      if (table === 'workflow' && PLACE.has(column)) continue;
      if (column === 'id' && OWN_NUMBER.has(table)) continue;
      shown[column] = (NUMBERED as readonly string[]).includes(kind) ? counted(kind, value) : value;
    }
    if (table === 'job' && row.serves !== null) {
      const { call_id, returns_to } = JSON.parse(row.serves as string);
      const because = counted('job', returns_to.because ?? null);
      shown.serves = { call: counted('call', call_id), returns_to: { ...returns_to, because } };
    }
    if (table === 'event') {
      const data = JSON.parse(row.data as string) as Record<string, unknown>;
      if ('worker_id' in data) data.worker_id = counted('worker', data.worker_id);
      if ('action_id' in data) data.action_id = counted('action', data.action_id);
      shown.data = data;
    }
    tables[table]!.push(shown);
  }
  return tables;
}
