import { PLACEHOLDERS, type UnitPlaceholder } from '../../core/request/request-model.ts';
import { type Placeholder, placeholdersIn } from '../sweep/placeholders.ts';
import { assignments } from '../template/bind-values.ts';
import { marker, placeValues } from '../template/place-values.ts';
import type { Refusal } from '../template/refusals.ts';

const NAMES: ReadonlySet<string> = new Set(PLACEHOLDERS);
const LISTS: ReadonlySet<UnitPlaceholder> = new Set(['items', 'inputs']);
const NUMBERS: ReadonlySet<UnitPlaceholder> = new Set(['first', 'last', 'count', 'unit', 'round', 'version']);

/** The values of one job; a list for `{items}` and `{inputs}`. */
export type PlaceholderValues = { [name in UnitPlaceholder]?: string | readonly string[] | undefined };

export type UnitPlaceholderUse = Placeholder & { name: UnitPlaceholder };

/** The placeholders of a text that have a meaning in requests. */
export function unitPlaceholders(text: string): UnitPlaceholderUse[] {
  return placeholdersIn(text).filter((each): each is UnitPlaceholderUse => NAMES.has(each.name));
}

/** A command whose placeholders are expansions of shell variables: read once, bound for every job. */
export interface UnitCommand {
  script: string;
  /** The placeholder of marker 1, and so on. */
  names: UnitPlaceholder[];
}

export type ReadUnitCommand =
  | { ok: true; command: UnitCommand }
  /** `use` is null where it was noticed only after the placeholder. */
  | { ok: false; refusal: Refusal; use: UnitPlaceholderUse | null };

/** Refuses placeholders where the shell would look into a value. */
export function readUnitCommand(text: string): ReadUnitCommand {
  const uses = unitPlaceholders(text);
  const names = [...new Set(uses.map(({ name }) => name))];
  let marked = '';
  let at = 0;
  const order: UnitPlaceholderUse[] = [];
  for (const use of uses) {
    marked += text.slice(at, use.start) + marker(names.indexOf(use.name) + 1);
    at = use.end;
    order.push(use);
  }
  const among = (some: ReadonlySet<UnitPlaceholder>) =>
    new Set(names.flatMap((name, index) => (some.has(name) ? [index + 1] : [])));
  const placed = placeValues(marked + text.slice(at), { lists: among(LISTS), numbers: among(NUMBERS) });
  if (placed.ok) return { ok: true, command: { script: placed.script, names } };
  const name = placed.index === null ? null : names[placed.index - 1];
  return { ok: false, refusal: placed.refusal, use: order.find((use) => use.name === name) ?? null };
}

/** The script of one job, in which each value is data. */
export function bindCommand({ script, names }: UnitCommand, values: PlaceholderValues): string {
  if (names.length === 0) return script;
  const bound = names.map((name) => {
    const value = values[name];
    if (value === undefined) throw new Error(`{${name}} has no value`);
    return value;
  });
  // The worker looks for this text in commands. Between single quotes the two ways to write it are the same.
  return assignments(bound).replaceAll('${user_data.', () => "$''{user_data.") + script;
}

/** A path with its placeholders replaced. */
export function fillPath(path: string, values: PlaceholderValues): string {
  let filled = '';
  let at = 0;
  for (const { name, start, end } of unitPlaceholders(path)) {
    filled += path.slice(at, start) + String(values[name]);
    at = end;
  }
  return filled + path.slice(at);
}
