import { Findings } from '../findings.ts';
import type { SpecPath } from '../problem.ts';
import type { SpecFiles } from '../spec-files.ts';
import { resolveVariables } from '../variables/variable-values.ts';
import { MAX_EXPANSIONS, type ParameterValue, plainValue } from './parameter-values.ts';
import { type Binding, fillPlaceholders } from './placeholders.ts';
import { readTable, type Table } from './read-table.ts';

const SWEPT = ['jobs', 'files', 'user_data'] as const;
const WITHOUT_TABLE = ['parameters', 'parameter_mode', 'use_parameters'];
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** In a name they could be commands of a shell: names of files are not written by the author of a spec. */
const SHELL_SIGNS = /[\p{Cc}"'`$\\;&|<>(){}[\]*?!~#]/u;

type Fields = Record<string, unknown>;

/**
 * A spec as it was read, with values in the place of `{glob: …}`, `{lines: …}` and of tables, whose columns become
 * parameters that vary together. What is of the wrong shape stays, for the schema to refuse.
 */
export function readParameterFiles(spec: unknown, files: SpecFiles, findings: Findings): unknown {
  if (!isObject(spec)) return spec;
  const reading = new Reading(spec, files, findings);
  const filled: Fields = { ...spec };
  if (isObject(spec.parameters)) filled.parameters = reading.parameters(spec.parameters, ['parameters']);
  for (const section of SWEPT) {
    const entries = spec[section];
    if (!Array.isArray(entries)) continue;
    filled[section] = entries.map((entry, index) =>
      isObject(entry) ? reading.entry(entry, [section, index]) : entry,
    );
  }
  reading.warnOfUnused();
  return filled;
}

class Reading {
  readonly #spec: Fields;
  readonly #files: SpecFiles;
  readonly #findings: Findings;
  readonly #variables: Binding;
  readonly #tables = new Map<string, Table>();
  #isShared = false;

  constructor(spec: Fields, files: SpecFiles, findings: Findings) {
    this.#spec = spec;
    this.#files = files;
    this.#findings = findings;
    // Mistakes in variables are reported where they are replaced.
    this.#variables = resolveVariables(
      isObject(spec.variables) ? spec.variables : {},
      new Findings(),
    ).scalars;
  }

  warnOfUnused(): void {
    if (this.#spec.parameters_file === undefined || this.#isShared) return;
    this.#findings.warn(['parameters_file'], 'no job or file uses this table (`use_parameters_file: true`)');
  }

  entry(entry: Fields, path: SpecPath): Fields {
    const { parameters_file: own, use_parameters_file: isUsed, ...others } = entry;
    if (own === undefined && isUsed !== true) {
      if (!isObject(entry.parameters)) return entry;
      return { ...entry, parameters: this.parameters(entry.parameters, [...path, 'parameters']) };
    }
    const key = own === undefined ? 'use_parameters_file' : 'parameters_file';
    const at = [...path, key];
    const besides = WITHOUT_TABLE.find((each) => entry[each] !== undefined);
    if (own !== undefined && isUsed === true) {
      this.#findings.error(at, 'has a table of its own and that of the workflow; keep one of them');
    } else if (besides !== undefined) {
      this.#findings.error(at, `a table gives all values, so that \`${besides}\` cannot be given with it`);
    } else {
      const columns = own === undefined ? this.#sharedTable(at) : this.#table(own, at);
      if (columns !== undefined) return { ...others, parameters: columns, parameter_mode: 'zip' };
    }
    return entry;
  }

  parameters(written: Fields, path: SpecPath): Fields {
    const entries = Object.entries(written).map(([name, value]) => [
      name,
      this.#values(value, [...path, name]),
    ]);
    return Object.fromEntries(entries);
  }

  #sharedTable(at: SpecPath): Fields | undefined {
    this.#isShared = true;
    if (this.#spec.parameters_file !== undefined) {
      return this.#table(this.#spec.parameters_file, ['parameters_file']);
    }
    this.#findings.error(at, 'the workflow has no `parameters_file`');
    return undefined;
  }

  #table(written: unknown, at: SpecPath): Fields | undefined {
    if (typeof written !== 'string') return undefined;
    const path = this.#filled(written, at);
    let table = this.#tables.get(path);
    if (table === undefined) {
      const text = this.#text(path, at);
      if (text === undefined) return undefined;
      table = readTable(path, text);
      this.#tables.set(path, table);
    }
    if ('columns' in table) return table.columns;
    this.#findings.error(at, `${path} ${table.error}`);
    return undefined;
  }

  #values(written: unknown, at: SpecPath): unknown {
    if (!isObject(written)) return written;
    const { glob, as = 'path', lines } = written;
    if (typeof lines === 'string' && glob === undefined) return this.#lines(lines, at) ?? written;
    if (typeof glob !== 'string' || lines !== undefined) return written;
    return as === 'path' || as === 'name' || as === 'stem'
      ? (this.#matches(glob, as, at) ?? written)
      : written;
  }

  #lines(written: string, at: SpecPath): ParameterValue[] | undefined {
    const path = this.#filled(written, at);
    const lines = this.#text(path, at)
      ?.replace(/^\uFEFF/, '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'));
    if (lines === undefined) return undefined;
    return this.#checked(lines.map(plainValue), at, `${path} has no values`);
  }

  #matches(written: string, as: 'path' | 'name' | 'stem', at: SpecPath): ParameterValue[] | undefined {
    const pattern = this.#filled(written, at);
    const found = this.#trying(pattern, at, () => this.#files.listFiles(pattern));
    if (found === undefined) return undefined;
    const values = found.map((path) => nameOf(path, as, pattern));
    const special = values.find((value) => SHELL_SIGNS.test(value));
    if (special !== undefined) {
      this.#findings.error(
        at,
        `the name ${JSON.stringify(special)} has signs that mean something to a shell; rename the file`,
      );
      return undefined;
    }
    const twice = values.findIndex((value, index) => values.indexOf(value) !== index);
    if (twice !== -1) {
      const first = found[values.indexOf(values[twice]!)]!;
      this.#findings.error(
        at,
        `${first} and ${found[twice]!} have the same ${as}, ${JSON.stringify(values[twice])}`,
      );
      return undefined;
    }
    return this.#checked(values, at, `${pattern} matches no file`);
  }

  #checked(values: ParameterValue[], at: SpecPath, ifEmpty: string): ParameterValue[] | undefined {
    if (values.length > 0 && values.length <= MAX_EXPANSIONS) return values;
    this.#findings.error(at, values.length === 0 ? ifEmpty : `has more than ${MAX_EXPANSIONS} values`);
    return undefined;
  }

  #text(path: string, at: SpecPath): string | undefined {
    const text = this.#trying(path, at, () => this.#files.readText(path));
    if (text === undefined || text.length <= MOST_CHARACTERS) return text;
    this.#findings.error(at, `${path} is longer than ${MOST_CHARACTERS} characters`);
    return undefined;
  }

  #trying<T>(path: string, at: SpecPath, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.#findings.error(at, `${path} cannot be read: ${(error as Error).message}`);
      return undefined;
    }
  }

  #filled(text: string, at: SpecPath): string {
    return fillPlaceholders(text, this.#variables, (problem) => this.#findings.error(at, problem));
  }
}

/** The stem is the name without the ending that the pattern has (`*.fastq.gz`), else without its last one. */
function nameOf(path: string, as: 'path' | 'name' | 'stem', pattern: string): string {
  if (as === 'path') return path;
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (as === 'name') return name;
  const ending = /\*(\.[^*?/]+)$/.exec(pattern)?.[1];
  if (ending !== undefined && name.length > ending.length && name.endsWith(ending)) {
    return name.slice(0, -ending.length);
  }
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
