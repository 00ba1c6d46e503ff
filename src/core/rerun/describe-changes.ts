import { jobLabel } from '../job/job-label.ts';
import { fieldOf, parseConfig, type StoredConfig } from '../model/config-text.ts';
import { describeTarget } from '../notify/describe-target.ts';
import type { NotifyEntry } from '../notify/notify-model.ts';
import { lineDiff } from '../text/line-diff.ts';
import { shortenPair } from '../text/shorten-pair.ts';
import { asSpecified } from './compare-job.ts';
import type { EditedWorkflow, StoredRow, StoredWorkflow } from './edited-workflow.ts';
import { canonical, type JobField } from './field-kinds.ts';
import { patternOf } from './item-scope.ts';
import { specKeyOf, specValuesOf } from './spec-values.ts';
import type { UpdatedRow, WorkflowField } from './update-plan.ts';
import { editedValues, storedValues } from './workflow-changes.ts';

/** A field with its old and its new value, shortened. */
export interface FieldChange {
  field: string;
  /** null: it had none. */
  from: string | null;
  to: string | null;
  /** Of a text of several lines: the lines that are different. */
  diff: string[] | null;
}

const MOST_TEXT = 300;
const MOST_NAMES = 10;

/** Describes what is different about jobs, value by value. */
export class ChangeDescriber {
  readonly #stored: StoredWorkflow;
  readonly #edited: EditedWorkflow;
  readonly #rows: ReadonlyMap<number, StoredRow>;

  /** `rows`: the stored jobs by id. */
  constructor(stored: StoredWorkflow, edited: EditedWorkflow, rows: ReadonlyMap<number, StoredRow>) {
    this.#stored = stored;
    this.#edited = edited;
    this.#rows = rows;
  }

  changesOf({ row, edited: place, fields, action }: UpdatedRow): FieldChange[] {
    if (row === null || place === null || action === 'add') return [];
    const job = this.#edited.jobs[place]!;
    const sides = { row, before: asSpecified(row), place, after: parseConfig(job.config) };
    const changes = fields.map((field) => {
      const values = valuesOf(field, sides, this.#stored, this.#edited);
      if (field === 'env') return change(field, namesOf(...values), namesOf(values[1], values[0]));
      return change(specKeyOf(field), ...specValuesOf(field, values));
    });
    // Jobs of items wait for jobs of their own item.
    if (row.scope !== job.scope) return changes;
    const [was, is] = [this.#storedNames(row), this.#editedNames(place)];
    const removed = [...was].filter((name) => !is.has(name));
    const added = [...is].filter((name) => !was.has(name));
    return removed.length + added.length === 0 ? changes : [...changes, change('depends_on', removed, added)];
  }

  #storedNames({ dependency_set_id: set }: StoredRow): Set<string> {
    const members = set === null ? [] : (this.#stored.sets.get(set) ?? []);
    const rows = members.flatMap(({ job_id }) => this.#rows.get(job_id) ?? []);
    return new Set(rows.filter(({ scope }) => patternOf(scope) === scope).map(jobLabel));
  }

  #editedNames(place: number): Set<string> {
    const { jobs, sets } = this.#edited;
    const set = jobs[place]!.dependency_set;
    return new Set(set === null ? [] : sets[set]!.map(({ job }) => jobLabel(jobs[job]!)));
  }
}

/** What is different about the workflow itself. */
export function describeWorkflow(
  fields: readonly WorkflowField[],
  stored: StoredWorkflow,
  edited: EditedWorkflow,
): FieldChange[] {
  if (fields.length === 0) return [];
  const [before, after] = [storedValues(stored), editedValues(edited)];
  return fields.map((field) => {
    const [from, to] = onlyDifferent(before[field], after[field]);
    return field === 'notify' ? change(field, entriesOf(from), entriesOf(to)) : change(field, from, to);
  });
}

/** Addresses of webhooks are secrets. */
function entriesOf(entries: unknown): string[] {
  return (entries as NotifyEntry[]).map(({ target, on }) => `${describeTarget(target)} on ${on.join(', ')}`);
}

interface Sides {
  row: StoredRow;
  before: StoredConfig;
  place: number;
  after: StoredConfig;
}

function valuesOf(
  field: JobField,
  { row, before, place, after }: Sides,
  stored: StoredWorkflow,
  edited: EditedWorkflow,
): [from: unknown, to: unknown] {
  const job = edited.jobs[place]!;
  switch (field) {
    case 'priority':
    case 'claim_rank':
      return [row[field], job[field]];
    case 'cancel_on_blocking_job_failure':
      return [row.cancel_on_failure, job.cancel_on_failure];
    case 'resources': {
      const id = row.specified?.requirement_id ?? row.requirement_id;
      return onlyDifferent(stored.requirements.get(id), edited.requirements[job.requirement]);
    }
    default:
      return onlyDifferent(fieldOf(before, field), fieldOf(after, field));
  }
}

/** Of two objects, the keys that are different; of two lists, the items. */
function onlyDifferent(from: unknown, to: unknown): [unknown, unknown] {
  if (Array.isArray(from) && Array.isArray(to)) {
    const [old, now] = [
      new Set(from.map((item) => canonical(item))),
      new Set(to.map((item) => canonical(item))),
    ];
    return [from.filter((item) => !now.has(canonical(item))), to.filter((item) => !old.has(canonical(item)))];
  }
  if (!isObject(from) || !isObject(to)) return [from, to];
  const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  const different = keys.filter((key) => canonical(from[key]) !== canonical(to[key]));
  const pick = (value: Record<string, unknown>) =>
    Object.fromEntries(different.filter((key) => Object.hasOwn(value, key)).map((key) => [key, value[key]]));
  return [pick(from), pick(to)];
}

/** Values of an environment may be secrets: only the names are shown. */
function namesOf(values: unknown, others: unknown): string[] {
  const isKnown = (name: string) => isObject(others) && Object.hasOwn(others, name);
  return Object.keys(isObject(values) ? values : {}).map((name) => (isKnown(name) ? `${name}=…` : name));
}

function change(field: string, from: unknown, to: unknown): FieldChange {
  if (typeof from !== 'string' || typeof to !== 'string') {
    return { field, from: textOf(from), to: textOf(to), diff: null };
  }
  if (`${from}${to}`.includes('\n')) return { field, from: cut(from), to: cut(to), diff: lineDiff(from, to) };
  const [old, now] = shortenPair(from, to);
  return { field, from: cut(old), to: cut(now), diff: null };
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    if (value.length === 0) return null;
    const more = value.length - MOST_NAMES;
    return cut(`${value.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`);
  }
  if (isObject(value) && Object.keys(value).length === 0) return null;
  return cut(typeof value === 'string' ? value : JSON.stringify(value));
}

function cut(text: string): string {
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)} …` : text;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
