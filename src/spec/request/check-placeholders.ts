import { PLACEHOLDERS, type UnitPlaceholder } from '../../core/request/request-model.ts';
import type { Findings } from '../findings.ts';
import type { SpecPath } from '../problem.ts';
import { isStandIn } from '../schema/reading/parse-structure.ts';
import type { RequestSpec } from '../schema/request-schema.ts';
import { didYouMean } from '../suggest.ts';
import { type Placeholder, placeholdersIn } from '../sweep/placeholders.ts';
import { describeRefusal } from '../template/refusals.ts';
import { isForeign } from '../variables/near-placeholder.ts';
import { placeOf } from '../variables/substitute-variables.ts';
import { readUnitCommand, unitPlaceholders } from './bind-placeholders.ts';

export type WorkKind = 'range' | 'inventory';

type Part = 'process' | 'merge' | 'cleanup' | 'outputs';

const RANGE_ONLY: ReadonlySet<UnitPlaceholder> = new Set(['first', 'last']);
const PATH: UnitPlaceholder[] = ['unit', 'round', 'request', 'version'];
const ALLOWED: Record<Part, ReadonlySet<UnitPlaceholder>> = {
  process: new Set(['first', 'last', 'count', 'items', 'output', ...PATH]),
  merge: new Set(PLACEHOLDERS),
  cleanup: new Set(['inputs', ...PATH]),
  outputs: new Set(PATH),
};
const REPLACED_IN = 'the commands of process, merge and cleanup, and `outputs`';

/** Texts in which braces are not placeholders. */
const UNCHECKED = new Set(['kind', 'name', 'description', 'variables']);

/**
 * Checks every placeholder of a request: that it is known, fits its text, and stands where the shell does not look into
 * its value. `written` is the spec before its variables were replaced, for the places of mistakes.
 */
export class PlaceholderCheck {
  readonly #findings: Findings;
  readonly #written: unknown;
  readonly #kind: WorkKind | null;
  readonly #names: string[];

  constructor(spec: RequestSpec, kind: WorkKind | null, written: unknown, findings: Findings) {
    this.#findings = findings;
    this.#written = written;
    this.#kind = kind;
    this.#names = [...PLACEHOLDERS, ...Object.keys(spec.variables ?? {})];
  }

  check(spec: RequestSpec): void {
    for (const part of ['process', 'merge', 'cleanup'] as const) {
      const command = spec[part]?.command;
      if (command !== undefined && !isStandIn(command)) this.#command(command, part);
    }
    if (spec.outputs !== undefined) this.#part(spec.outputs, 'outputs', ['outputs']);
    for (const [key, value] of Object.entries(spec)) {
      if (!UNCHECKED.has(key) && key !== 'outputs') this.#others(value, [key]);
    }
    this.#flow(spec);
  }

  #command(command: string, part: Exclude<Part, 'outputs'>): void {
    const path = [part, 'command'];
    const elsewhere = /\$\{(?:variables|files|user_data)\.[^}]*\}/.exec(command)?.[0];
    if (elsewhere !== undefined) {
      this.#error(path, `${elsewhere} is not replaced in a request; write {NAME} for a variable`, elsewhere);
    }
    if (!this.#part(command, part, path)) return;
    const read = readUnitCommand(command);
    if (read.ok) return;
    const written = read.use?.written ?? unitPlaceholders(command)[0]!.written;
    const message = describeRefusal(read.refusal, written);
    this.#error(path, read.use === null ? message : `${written}: ${message}`, written);
  }

  /** False if a placeholder is wrong. Each is reported once. */
  #part(text: string, part: Part, path: SpecPath): boolean {
    const wrong = new Map<string, string>();
    for (const placeholder of placeholdersIn(text)) {
      const problem = this.#problem(text, placeholder, part);
      if (problem !== null) wrong.set(placeholder.written, problem);
    }
    for (const [written, problem] of wrong) this.#error(path, `${written} ${problem}`, written);
    return wrong.size === 0;
  }

  #problem(text: string, placeholder: Placeholder, part: Part): string | null {
    const name = placeholder.name as UnitPlaceholder;
    if (!PLACEHOLDERS.includes(name)) {
      if (isForeign(text, placeholder)) return null;
      return `is neither a placeholder nor a variable${didYouMean(name, this.#names)} (write { ${name} } for braces that stay)`;
    }
    if (placeholder.format !== undefined) {
      return `has a format, which the placeholders of a request cannot have; write {${name}} and use printf in the command`;
    }
    if (!ALLOWED[part].has(name)) return unfit(name, part);
    if (this.#kind === 'inventory' && RANGE_ONLY.has(name)) {
      return 'is a number of a range, but the work of this request is a list of items; use {items}';
    }
    if (this.#kind === 'range' && name === 'items') {
      return 'is for items, but the work of this request is a range; use {first} and {last}';
    }
    return null;
  }

  /** Texts in which nothing but variables is replaced. */
  #others(value: unknown, path: SpecPath): void {
    if (typeof value === 'string') {
      for (const placeholder of placeholdersIn(value)) this.#other(value, placeholder, path);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, child] of Object.entries(value)) {
        if (key === 'command' && path.length === 1 && path[0] !== 'post') continue;
        if (key === 'group_by' || (key === 'items' && Array.isArray(child))) continue;
        this.#others(child, [...path, Array.isArray(value) ? Number(key) : key]);
      }
    }
  }

  #other(text: string, placeholder: Placeholder, path: SpecPath): void {
    const { written, name } = placeholder;
    if (PLACEHOLDERS.includes(name as UnitPlaceholder)) {
      this.#error(path, `${written} is replaced only in ${REPLACED_IN}`, written);
      return;
    }
    const hint = isForeign(text, placeholder) ? '' : didYouMean(name, this.#names);
    if (hint === '' || name.length < 4) return;
    this.#error(
      path,
      `${written} is not a variable${hint} (write { ${name} } for braces that stay)`,
      written,
    );
  }

  /** What one command writes, another one must have been asked to read. */
  #flow({ process, merge, cleanup, outputs, jobs_per_unit = 1 }: RequestSpec): void {
    if (isStandIn(process.command)) return;
    const writes = uses(process.command, 'output');
    for (const [part, job] of Object.entries({ merge, cleanup })) {
      if (writes || job === undefined || !uses(job.command, 'inputs')) continue;
      this.#error(
        [part, 'command'],
        '{inputs} are the outputs of the processing jobs, but process.command does not use {output}',
        '{inputs}',
      );
    }
    if (outputs === undefined) return;
    if (!uses(outputs, 'unit')) {
      this.#findings.error(
        ['outputs'],
        'must contain {unit}: otherwise units overwrite the output of each other',
      );
    }
    if (merge === undefined && jobs_per_unit > 1) {
      this.#findings.error(
        ['outputs'],
        `is one file for each unit, but a unit has ${jobs_per_unit} processing jobs; add \`merge\`, or set jobs_per_unit to 1`,
      );
    }
    const [part, last] = merge === undefined ? ['process', process] : ['merge', merge];
    if (!isStandIn(last.command) && !uses(last.command, 'output')) {
      this.#findings.error(['outputs'], `is not written: ${part}.command does not use {output}`);
    }
    if (merge === undefined && cleanup !== undefined && uses(cleanup.command, 'inputs')) {
      this.#findings.warn(
        ['cleanup', 'command'],
        'without `merge`, {inputs} are the outputs of the unit: a command that removes them removes the result',
      );
    }
  }

  /** At the place of `written` in the file, where that can be found. */
  #error(path: SpecPath, message: string, written: string): void {
    let text: unknown = this.#written;
    for (const key of path) text = (text as Record<string | number, unknown> | undefined)?.[key];
    const offset = typeof text === 'string' ? text.indexOf(written) : -1;
    this.#findings.error(path, message, offset < 0 ? {} : { inside: placeOf(text as string, offset) });
  }
}

function uses(text: string, name: UnitPlaceholder): boolean {
  return unitPlaceholders(text).some((placeholder) => placeholder.name === name);
}

/** Why a text does not have a placeholder. */
function unfit(name: UnitPlaceholder, part: Part): string {
  if (part === 'process') return 'is for merge and cleanup: it lists the outputs of the processing jobs';
  const others = [...ALLOWED[part]].map((each) => `{${each}}`).join(' ');
  if (part === 'outputs') return `is not known when the path of an output is made; it can use ${others}`;
  return name === 'output'
    ? `is for process and merge: cleanup has no output; it can use ${others}`
    : `is for process and merge; cleanup can use ${others}`;
}
