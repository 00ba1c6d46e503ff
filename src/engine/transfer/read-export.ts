import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { SqlValue } from '../../store/script.ts';
import { readValues } from './row-values.ts';
import {
  type ExportHeader,
  FORMAT,
  LOGS,
  SECTIONS,
  type Section,
  unfit,
  VERSION,
} from './transfer-format.ts';

const header = z.strictObject({
  format: z.literal(FORMAT),
  version: z.int().positive(),
  program: z.string().max(100),
  exported_at_ms: z.int(),
  workflow_id: z.int().positive(),
  name: z.string().max(10_000),
  counts: z.record(z.string(), z.int().nonnegative()),
});

const sectionLine = z.strictObject({ table: z.string(), columns: z.array(z.string()) });
const endLine = z.strictObject({
  end: z.strictObject({ rows: z.int(), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
});

export type ExportPiece =
  | { kind: 'header'; header: ExportHeader }
  | { kind: 'row'; section: Section; values: Record<string, SqlValue>; line: number };

/**
 * Reads the lines of an export, and refuses everything that no export of this version has. Its last piece has been
 * checked when the generator ends, and not before: what is done with the others has to be undone until then.
 */
export async function* readExport(lines: AsyncIterable<string>): AsyncGenerator<ExportPiece> {
  const hash = createHash('sha256');
  const found: Record<string, number> = {};
  let read: ExportHeader | null = null;
  let next = 0;
  let rows = 0;
  let number = 0;
  let isEnded = false;
  for await (const text of lines) {
    number += 1;
    if (isEnded) throw unfit('there is something after the end', number);
    const line = parsed(text, number);
    if (read === null) {
      read = readHeader(line);
      hash.update(text).update('\n');
      yield { kind: 'header', header: read };
      continue;
    }
    if (!Array.isArray(line) && next === SECTIONS.length) {
      checkEnd(line, { rows, sha256: hash.digest('hex') }, number);
      isEnded = true;
      continue;
    }
    hash.update(text).update('\n');
    if (!Array.isArray(line)) {
      checkSection(line, SECTIONS[next]!, number);
      next += 1;
      continue;
    }
    const section = SECTIONS[next - 1];
    if (section === undefined) throw unfit('a row of no table', number);
    rows += 1;
    found[section.name] = (found[section.name] ?? 0) + 1;
    yield { kind: 'row', section, values: valuesOf(section, line, number), line: number };
  }
  if (read === null) throw unfit('it is empty');
  if (!isEnded) throw unfit('its end is missing: it was cut off, or is still being written');
  for (const { name } of SECTIONS) {
    if (name !== LOGS && (found[name] ?? 0) !== (read.counts[name] ?? 0)) {
      throw unfit(`it has ${found[name] ?? 0} rows of ${name}, and says ${read.counts[name] ?? 0}`);
    }
  }
}

function parsed(text: string, number: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw unfit('no JSON', number);
  }
}

function readHeader(line: unknown): ExportHeader {
  const { format, version } = (line ?? {}) as Partial<ExportHeader>;
  if (format !== FORMAT) throw unfit('it is not one that `holdfast export` wrote');
  if (typeof version === 'number' && version > VERSION) {
    throw unfit(`it has version ${version}, and this Holdfast knows ${VERSION}: use a newer one`);
  }
  const { data, error } = header.safeParse(line);
  if (error !== undefined || data.version !== VERSION) {
    throw unfit(`its header is damaged: ${error?.issues[0]?.message ?? `version ${version}`}`, 1);
  }
  return data;
}

function checkSection(line: unknown, { name, columns }: Section, number: number): void {
  const { data } = sectionLine.safeParse(line);
  if (data?.table !== name) throw unfit(`the table ${name} is missing here`, number);
  const known = Object.keys(columns);
  const unknown = data.columns.find((column) => !known.includes(column));
  if (unknown !== undefined) throw unfit(`${name} has no column ${unknown.slice(0, 60)}`, number);
  if (data.columns.join() !== known.join()) {
    throw unfit(`the columns of ${name} are others than those of version ${VERSION}`, number);
  }
}

function checkEnd(line: unknown, { rows, sha256 }: { rows: number; sha256: string }, number: number): void {
  const { data } = endLine.safeParse(line);
  if (data === undefined) throw unfit('neither a row nor the end', number);
  if (data.end.rows !== rows || data.end.sha256 !== sha256) {
    throw unfit('it is damaged: its checksum is another one');
  }
}

function valuesOf(section: Section, line: unknown[], number: number): Record<string, SqlValue> {
  try {
    return readValues(section, line);
  } catch (error) {
    throw unfit((error as Error).message, number);
  }
}
