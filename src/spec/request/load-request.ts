import { dirname, join } from 'node:path';
import { type NewItem, PLACEHOLDERS, type RequestModel } from '../../core/request/request-model.ts';
import { Findings } from '../findings.ts';
import { patternError } from '../pattern.ts';
import type { Problem, SpecPath } from '../problem.ts';
import { asObject, parseStructure, type SpecShape, UNKNOWN } from '../schema/reading/parse-structure.ts';
import { withoutNulls } from '../schema/reading/without-nulls.ts';
import { type RequestSpec, requestSpecSchema } from '../schema/request-schema.ts';
import { readSource } from '../source/read-source.ts';
import { foundProblems, syntaxProblems } from '../source-problems.ts';
import type { SpecFiles } from '../spec-files.ts';
import { applySettings, type SpecSettings } from '../variables/apply-settings.ts';
import { substituteVariables } from '../variables/substitute-variables.ts';
import { loadRulebook } from './load-rulebook.ts';
import { normaliseRequest } from './normalise-request.ts';
import { type ReadItems, readItemLines, readItemList } from './read-items.ts';

export type LoadedRequest =
  | {
      ok: true;
      model: RequestModel;
      /** Of an inventory; null for a range. */
      items: NewItem[] | null;
      warnings: Problem[];
      /** Keys that were accepted and have no effect here. */
      notes: Problem[];
    }
  | { ok: false; problems: Problem[] };

const NAMES: ReadonlySet<string> = new Set(PLACEHOLDERS);
const UNIT_JOBS = ['process', 'merge', 'cleanup'];

const REQUEST: SpecShape<RequestSpec> = {
  schema: requestSpecSchema,
  standIn: (spec) => {
    spec.kind = 'request';
    spec.name ??= 'unknown';
    spec.work = asObject(spec.work);
    for (const part of UNIT_JOBS) {
      if (part === 'process' || spec[part] !== undefined) {
        spec[part] = { command: UNKNOWN, ...asObject(spec[part]) };
      }
    }
  },
  wholeKey: (path) => path.slice(0, UNIT_JOBS.includes(String(path[0])) ? 2 : 1),
};

/**
 * What a person wrote → the model of a request with its rulebook and items, or every mistake at once: those of the spec
 * in the order of the file, then those of the files that it names.
 */
export function loadRequest(
  text: string,
  fileName: string,
  files: SpecFiles,
  set: SpecSettings = {},
): LoadedRequest {
  const source = readSource(text, fileName);
  if (!source.ok) return { ok: false, problems: syntaxProblems(text, fileName, source.mistakes) };
  const findings = new Findings();
  const read = applySettings(withoutNulls(source.value, requestSpecSchema), set, findings);
  const value = substituteVariables(read, findings, NAMES);
  const spec = parseStructure(value, REQUEST, findings);
  const model = spec && normaliseRequest(spec, { value: value as object, written: source.value }, findings);
  const named = new NamedFiles(fileName, files, findings);
  const rulebook = spec?.rulebook === undefined ? null : named.rulebook(spec.rulebook);
  const items = spec?.work.items === undefined ? null : named.items(spec.work);
  const problems = [...foundProblems(findings.errors, fileName, source.locate), ...named.problems];
  if (model === undefined || problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    model: { ...model, rulebook },
    items,
    warnings: foundProblems(findings.warnings, fileName, source.locate),
    notes: foundProblems(findings.notes, fileName, source.locate),
  };
}

/** Reads what the spec names, and collects what is wrong with it. */
class NamedFiles {
  /** Mistakes in the files themselves. */
  readonly problems: Problem[] = [];
  readonly #fileName: string;
  readonly #files: SpecFiles;
  readonly #findings: Findings;

  constructor(fileName: string, files: SpecFiles, findings: Findings) {
    this.#fileName = fileName;
    this.#files = files;
    this.#findings = findings;
  }

  rulebook(path: string) {
    const text = this.#read(['rulebook'], path, () => this.#files.readText(path));
    const loaded = text === null ? null : loadRulebook(text, this.#nameOf(path));
    if (loaded === null || loaded.ok) return loaded?.rulebook ?? null;
    this.problems.push(...loaded.problems);
    return null;
  }

  items({ items, group_by: pattern }: RequestSpec['work']): NewItem[] | null {
    const groupBy = pattern !== undefined && patternError(pattern) === undefined ? pattern : null;
    const path = ['work', 'items'];
    if (Array.isArray(items)) {
      const read = readItemList(items, groupBy);
      return this.#taken(read, path, (at, message) => this.#findings.error([...path, at], message));
    }
    const isPattern = /[*?]/.test(items!);
    if (isPattern) {
      const found = this.#read(path, items!, () => this.#files.listFiles(items!));
      if (found === null) return null;
      const read = readItemList(found, groupBy);
      return this.#taken(
        read,
        path,
        (_, message) => this.#findings.error(path, message),
        `${items} matches no file`,
      );
    }
    const text = this.#read(path, items!, () => this.#files.readText(items!));
    if (text === null) return null;
    const file = this.#nameOf(items!);
    return this.#taken(
      readItemLines(text.startsWith('\uFEFF') ? text.slice(1) : text, groupBy),
      path,
      (line, message) => this.problems.push({ file, line, column: 1, path: '', message }),
      `${file} lists no item`,
    );
  }

  #taken(
    read: ReadItems,
    path: SpecPath,
    onMistake: (at: number, message: string) => void,
    ifEmpty = 'lists no item',
  ): NewItem[] | null {
    if (!read.ok) {
      for (const { at, message } of read.mistakes) onMistake(at, message);
      return null;
    }
    if (read.items.length === 0) this.#findings.error(path, ifEmpty);
    return read.items;
  }

  #read<T>(path: SpecPath, file: string, read: () => T): T | null {
    try {
      return read();
    } catch (error) {
      this.#findings.error(path, `${file} cannot be read: ${(error as Error).message}`);
      return null;
    }
  }

  #nameOf(path: string): string {
    return path.startsWith('/') ? path : join(dirname(this.#fileName), path);
  }
}
