import type { UserDataModel } from '../../core/model/workflow-model.ts';
import type { Findings } from '../findings.ts';
import { matchingIndexes, patternError } from '../pattern.ts';
import type { SpecPath } from '../problem.ts';
import { isStandIn } from '../schema/reading/parse-structure.ts';
import type { UserDataSpec } from '../schema/user-data-schema.ts';
import { didYouMean } from '../suggest.ts';
import { expandSweep, type SharedParameters } from '../sweep/expand-sweep.ts';
import { type Binding, fillPlaceholders } from '../sweep/placeholders.ts';
import { userDataPlaceholders } from '../template/user-data-placeholders.ts';
import { pathOf, type Reference } from './job-draft.ts';
import type { TextSubstitution } from './substitute-text.ts';

/** With `.json` behind it the name must be that of a file, on every file system. */
const MAX_NAME_BYTES = 200;

/** The user data of a workflow, by name. */
export class UserDataTable {
  readonly #values = new Map<string, UserDataModel & { path: SpecPath }>();
  readonly #matches = new Map<string, string[]>();
  readonly #findings: Findings;

  constructor(
    entries: UserDataSpec[],
    shared: SharedParameters,
    substitution: TextSubstitution,
    findings: Findings,
  ) {
    this.#findings = findings;
    for (const [index, entry] of entries.entries()) {
      const path = ['user_data', index];
      for (const binding of expandSweep(entry, path, shared, findings)) {
        const name = substitution.fill(entry.name, binding, [...path, 'name']);
        if (isStandIn(name)) continue;
        const data = fillData(entry.data ?? null, binding);
        this.#add({ name, data, isEphemeral: entry.is_ephemeral ?? false, path });
      }
    }
  }

  get models(): UserDataModel[] {
    return [...this.#values.values()].map(({ path: _, ...model }) => model);
  }

  /** Values that only a job could give, and where they are written. */
  get withoutData(): { name: string; path: SpecPath }[] {
    return [...this.#values.values()].filter(({ data }) => data === null);
  }

  hasData(name: string): boolean {
    return (this.#values.get(name)?.data ?? null) !== null;
  }

  #add(value: UserDataModel & { path: SpecPath }): void {
    const { name, path } = value;
    const namePath = [...path, 'name'];
    if (/[/}]/.test(name) || Buffer.byteLength(name) > MAX_NAME_BYTES) {
      this.#findings.expansionError(
        namePath,
        `"${name}" must be fit for the name of a file: no / or }, at most ${MAX_NAME_BYTES} bytes`,
      );
    }
    const known = this.#values.get(name);
    if (known === undefined) this.#values.set(name, value);
    // Two entries of one written name are reported once, for all sections alike.
    else if (known.path === path && JSON.stringify(known.data) !== JSON.stringify(value.data)) {
      this.#findings.expansionError(
        namePath,
        `several expansions are named "${name}", but differ in their data; put a parameter into the name`,
      );
    } else if (known.path !== path) {
      this.#findings.error(namePath, `the name "${name}" is already used by user_data[${known.path[1]}]`);
    }
  }

  /** Whether the name exists; reported if not. */
  has(reference: Reference): boolean {
    if (this.#values.has(reference.text)) return true;
    this.#findings.expansionError(pathOf(reference), this.#unknown(reference.text));
    return false;
  }

  /** The names in which the pattern is found. */
  matching(pattern: Reference): string[] {
    let found = this.#matches.get(pattern.text);
    if (!found) {
      found = this.#match(pattern);
      this.#matches.set(pattern.text, found);
    }
    return found;
  }

  #match(pattern: Reference): string[] {
    const problem = patternError(pattern.text);
    if (problem) {
      this.#findings.error(pathOf(pattern), problem);
      return [];
    }
    const names = [...this.#values.keys()];
    const found = matchingIndexes(pattern.text, names).map((index) => names[index]!);
    if (found.length === 0)
      this.#findings.expansionError(pathOf(pattern), `"${pattern.text}" matches no name in \`user_data\``);
    return found;
  }

  /** Which values a command reads and sets; its text stays, because they are placed when it is launched. */
  used(command: string, path: SpecPath): { inputs: Reference[]; outputs: Reference[] } {
    const inputs: Reference[] = [];
    const outputs: Reference[] = [];
    for (const { written, kind, name } of userDataPlaceholders(command)) {
      if (kind === undefined) {
        this.#findings.error(path, `${written}: write \${user_data.input.NAME} or \${user_data.output.NAME}`);
      } else if (!this.#values.has(name)) {
        this.#findings.expansionError(path, `${written}: ${this.#unknown(name)}`);
      } else {
        (kind === 'input' ? inputs : outputs).push({ text: name, path });
      }
    }
    return { inputs, outputs };
  }

  #unknown(name: string): string {
    return `\`user_data\` have no "${name}"${didYouMean(name, this.#values.keys())}`;
  }
}

/** Texts in the first value of a sweep may use its parameters. */
function fillData(data: unknown, binding: Binding): unknown {
  if (typeof data === 'string') return fillPlaceholders(data, binding);
  if (Array.isArray(data)) return data.map((item) => fillData(item, binding));
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, fillData(value, binding)]));
}
