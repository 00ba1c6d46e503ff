import type { Inexpressible } from '../../core/dag/inexpressible.ts';
import type { WorkflowModel } from '../../core/model/workflow-model.ts';
import type { Finding } from '../findings.ts';
import type { Problem, SpecPath } from '../problem.ts';
import { readSource } from '../source/read-source.ts';
import { foundProblems } from '../source-problems.ts';

/** A spec as it was handed in. */
export interface NamedText {
  text: string;
  /** For messages; the extension gives the notation. */
  name: string;
}

/** What DAGMan cannot do, at the places of the spec that ask for it; each place once, however many jobs it made. */
export function refusedPlaces(
  { text, name }: NamedText,
  model: WorkflowModel,
  refused: readonly Inexpressible[],
): Problem[] {
  const source = readSource(text, name);
  if (!source.ok) return [];
  const findings = new Map<string, Finding>();
  for (const { job, key, reason } of refused) {
    const path = job === null ? null : jobPath(source.value, model.jobs[job]!.name);
    const message = `DAGMan cannot do this: ${reason}`;
    const place = placeOf(source.value, path, key);
    findings.set(`${place.join('\0')}\0${message}`, { path: place, message, atKey: true });
  }
  return foundProblems([...findings.values()], name, source.locate);
}

/** Other spellings of keys, of the notations of other systems. */
const SPELLINGS: Record<string, string[]> = {
  on_fail: ['onFail'],
  on_success: ['onSuccess'],
  for_each: ['forEach', 'foreach'],
  fail_if: ['failIf'],
  command: ['exec', 'run', 'script'],
  on_call: ['on_call', 'onCall'],
  depends_on: ['dependsOn', 'needs'],
  num_nodes: ['resource_requirements', 'requirements'],
  resources: ['resource_requirements', 'requirements'],
  labels: ['resource_requirements', 'requirements'],
};

/** The key in the entry of the job, else in the whole spec, else what stands for the job. */
function placeOf(spec: unknown, entry: SpecPath | null, key: string): SpecPath {
  for (const at of entry === null ? [[]] : [entry, []]) {
    const found = [key, ...(SPELLINGS[key] ?? [])].find((each) => valueAt(spec, [...at, each]) !== undefined);
    if (found !== undefined) return [...at, found];
  }
  return entry ?? [];
}

/** The entry that the job comes from; null: a notation that has no entry of this name. */
function jobPath(spec: unknown, name: string): SpecPath | null {
  for (const list of ['jobs', 'steps', 'process', 'merge', 'cleanup']) {
    const entries = property(spec, list);
    if (entries === undefined) continue;
    if (!Array.isArray(entries)) {
      if (isRequestJob(list, name)) return [list];
      if (property(entries, name) !== undefined) return [list, name];
      continue;
    }
    const index = entries.findIndex((entry) => isNamed(entry, name));
    if (index >= 0) return [list, index];
  }
  return null;
}

/** Jobs of units are named after the key of the request that they come from. */
function isRequestJob(key: string, name: string): boolean {
  return key === 'process' ? /^unit_\d+_proc_\d+$/.test(name) : new RegExp(`^unit_\\d+_${key}$`).test(name);
}

/** A name with parameters, as `train_{i}`, stands for many. */
function isNamed(entry: unknown, name: string): boolean {
  const written = property(entry, 'name') ?? property(entry, 'id');
  if (typeof written !== 'string') return false;
  if (written === name) return true;
  const pattern = written
    .split(/\{[^{}]*\}/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.+');
  return written.includes('{') && new RegExp(`^${pattern}$`, 's').test(name);
}

const valueAt = (value: unknown, path: SpecPath): unknown =>
  path.reduce<unknown>((inner, key) => property(inner, key), value);

function property(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string | number, unknown>)[key]
    : undefined;
}
