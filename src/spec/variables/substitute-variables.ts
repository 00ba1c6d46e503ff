import type { Findings } from '../findings.ts';
import type { Place, SpecPath } from '../problem.ts';
import { type Binding, filledPlaceholder, type Placeholder, placeholdersIn } from '../sweep/placeholders.ts';
import { nearPlaceholder } from './near-placeholder.ts';
import { resolveVariables } from './variable-values.ts';

/** Characters that all replacements of one spec may add. */
const MAX_ADDED = 50_000_000;
/** Past this much comparing of names a hint is not worth the wait. */
const MAX_COMPARED = 2_000_000;

/** Entries of these may have parameters, which go before variables of the same name. */
const SWEPT = new Set<unknown>(['jobs', 'files', 'user_data']);
/** Texts for people, in which braces are no placeholders. */
const PROSE = new Set<unknown>(['description', 'metadata', 'user', 'project']);
const NONE: ReadonlySet<string> = new Set();
const LIQUID = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g;

/**
 * A spec as it was read, with `{name}` of each of its `variables` replaced in every text but code. A placeholder that
 * is nearly the name of a parameter or variable is a mistake.
 */
export function substituteVariables(
  spec: unknown,
  findings: Findings,
  /** Names in braces that have a meaning of their own. They stay, and are checked by the caller with all unknown ones. */
  placeholders: ReadonlySet<string> = NONE,
): unknown {
  if (!isObject(spec)) return spec;
  const { all, scalars } = resolveVariables(isObject(spec.variables) ? spec.variables : {}, findings);
  const shared = isObject(spec.parameters) ? Object.keys(spec.parameters) : [];
  const substitution = new Substitution(all, scalars, new Set(shared), placeholders.size > 0, findings);
  const filled: Record<string, unknown> = { ...spec };
  if (isObject(spec.variables)) filled.variables = all;
  const hasNames = Object.keys(all).length > 0 || shared.length > 0;
  for (const [section, value] of Object.entries(spec)) {
    if (section === 'variables') continue;
    // Without variables and shared parameters only the entries that are swept have anything to check.
    if (SWEPT.has(section) && Array.isArray(value)) {
      filled[section] = value.map((entry, index) => {
        const parameters = parametersOf(entry);
        if (!hasNames && parameters.size === 0) return entry;
        return substitution.fill(entry, [section, index], parameters);
      });
    } else if (hasNames) {
      filled[section] = substitution.fill(value, [section], placeholders);
    }
  }
  return filled;
}

class Substitution {
  readonly #all: Record<string, unknown>;
  readonly #scalars: Binding;
  readonly #findings: Findings;
  readonly #names: string[];
  /** Parameters of the workflow, which an entry has only if it asks for them. */
  readonly #shared: ReadonlySet<string>;
  /** Unknown names are checked elsewhere. */
  readonly #isChecked: boolean;
  readonly #open = new Set<object>();
  #added = 0;
  #compared = 0;

  constructor(
    all: Record<string, unknown>,
    scalars: Binding,
    shared: ReadonlySet<string>,
    isChecked: boolean,
    findings: Findings,
  ) {
    this.#shared = shared;
    this.#isChecked = isChecked;
    this.#all = all;
    this.#scalars = scalars;
    this.#names = Object.keys(all);
    this.#findings = findings;
  }

  /** The value with all texts in it replaced; the same one if nothing was. */
  fill(value: unknown, path: SpecPath, parameters: ReadonlySet<string>): unknown {
    if (typeof value === 'string') return isCode(path) ? value : this.#text(value, path, parameters);
    // An alias of YAML can make an object part of itself.
    if (typeof value !== 'object' || value === null || this.#open.has(value)) return value;
    this.#open.add(value);
    let copy: Record<string | number, unknown> | undefined;
    for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      const item = (value as Record<string | number, unknown>)[key];
      const filled = this.fill(item, [...path, key], parameters);
      if (filled === item) continue;
      copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string | number, unknown>;
      copy[key] = filled;
    }
    this.#open.delete(value);
    return copy ?? value;
  }

  #text(text: string, path: SpecPath, parameters: ReadonlySet<string>): string {
    if (!text.includes('{')) return text;
    // In the texts of a step `{{ … }}` and `{% … %}` are Liquid.
    const tags = path[0] === 'steps' ? text.matchAll(LIQUID) : [][Symbol.iterator]();
    let tag = tags.next();
    let isDoubtful = false;
    let filled = '';
    let at = 0;
    for (const placeholder of placeholdersIn(text)) {
      const { name, start, end } = placeholder;
      while (!tag.done && endOf(tag.value) <= start) tag = tags.next();
      if (!tag.done && tag.value.index <= start) continue;
      const use = this.#use(text, placeholder, path, parameters);
      if (use !== true) {
        // One mistake in a text is enough to look at it again.
        if (use !== null && !isDoubtful) this.#findings.error(path, use, { inside: placeOf(text, start) });
        isDoubtful ||= use !== null;
        continue;
      }
      const value = filledPlaceholder(placeholder, this.#scalars[name]!, (problem) => {
        if (!isDoubtful) this.#findings.error(path, problem, { inside: placeOf(text, start) });
        isDoubtful = true;
      });
      this.#added += value.length;
      if (this.#added > MAX_ADDED) {
        this.#findings.error([], `variables would add more than ${MAX_ADDED} characters to the spec`);
        return text;
      }
      filled += text.slice(at, start) + value;
      at = end;
    }
    return at === 0 ? text : filled + text.slice(at);
  }

  /** True for a variable that can be put into a text; otherwise what is wrong, or null for braces that are not ours. */
  #use(
    text: string,
    placeholder: Placeholder,
    path: SpecPath,
    parameters: ReadonlySet<string>,
  ): true | string | null {
    const { written, name } = placeholder;
    if (parameters.has(name)) return null;
    if (Object.hasOwn(this.#all, name)) {
      if (name in this.#scalars) return true;
      return `${written}: the variable "${name}" is not a text, number or boolean, so it cannot be put into a text`;
    }
    if (this.#shared.has(name)) {
      if (SWEPT.has(path[0])) {
        this.#findings.warn(path, `${written} stays as it is, because \`use_parameters\` has no "${name}"`);
      }
      return null;
    }
    if (this.#isChecked || PROSE.has(path[0]) || path.at(-1) === 'stderr') return null;
    // The files of the job, which are filled in when they are known.
    if (path[0] === 'jobs' && (name === 'input' || name === 'output')) return null;
    const hint = this.#hint(text, placeholder, parameters);
    return hint === ''
      ? null
      : `${written} is neither a parameter nor a variable${hint} (write { ${name} } for braces that stay)`;
  }

  #hint(text: string, placeholder: Placeholder, parameters: ReadonlySet<string>): string {
    this.#compared += placeholder.name.length * (parameters.size + this.#names.length);
    if (this.#compared > MAX_COMPARED) return '';
    return nearPlaceholder(text, placeholder, [...parameters, ...this.#names]);
  }
}

function endOf(tag: RegExpExecArray): number {
  return tag.index + tag[0].length;
}

/** Names that a job, file or value is swept over. */
function parametersOf(entry: unknown): Set<string> {
  if (!isObject(entry)) return new Set();
  const { parameters, use_parameters: used } = entry;
  return new Set([
    ...(isObject(parameters) ? Object.keys(parameters) : []),
    ...(Array.isArray(used) ? used.filter((name) => typeof name === 'string') : []),
  ]);
}

/** JavaScript has braces of its own, and reads variables by their names. */
function isCode(path: SpecPath): boolean {
  const [key, parent] = [path.at(-1), path.at(-2)];
  if (key === 'run_js' || key === 'goto_js') return parent === 'on_fail' || parent === 'on_success';
  return path[0] === 'steps' && path.length === 3 && (key === 'if' || key === 'fail_if');
}

export function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
