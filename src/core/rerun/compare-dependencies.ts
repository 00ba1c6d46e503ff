import { jobLabel } from '../job/job-label.ts';
import type { EditedWorkflow, StoredRow, StoredWorkflow } from './edited-workflow.ts';
import { patternOf } from './item-scope.ts';
import type { RerunReason } from './rerun-reason.ts';

/** A member of a set, by its label. */
interface Member {
  label: string;
  kind: number;
}

/** Compares what jobs wait for, by the names of the jobs. Sets are shared, so each pair of them is compared once. */
export class DependencyComparison {
  readonly #stored: StoredWorkflow;
  readonly #edited: EditedWorkflow;
  readonly #rows: ReadonlyMap<number, StoredRow>;
  readonly #compared = new Map<string, RerunReason | null>();
  readonly #storedTexts = new Map<number, string>();
  readonly #editedTexts = new Map<number, string>();

  constructor(stored: StoredWorkflow, edited: EditedWorkflow, rows: ReadonlyMap<number, StoredRow>) {
    this.#stored = stored;
    this.#edited = edited;
    this.#rows = rows;
  }

  /** What is different; null if the job waits for the same. */
  differ(storedSet: number | null, editedSet: number | null): RerunReason | null {
    if (storedSet === null && editedSet === null) return null;
    if (this.#isSameJob(storedSet, editedSet)) return null;
    const key = `${storedSet} ${editedSet}`;
    const known = this.#compared.get(key);
    if (known !== undefined) return known;
    const reason = this.#compare(storedSet, editedSet);
    this.#compared.set(key, reason);
    return reason;
  }

  /** Most jobs wait for one job, and for the same as before. */
  #isSameJob(storedSet: number | null, editedSet: number | null): boolean {
    if (storedSet === null || editedSet === null) return false;
    const [before, after] = [this.#stored.sets.get(storedSet), this.#edited.sets[editedSet]!];
    if (before?.length !== 1 || after.length !== 1 || before[0]!.kind !== after[0]!.kind) return false;
    const row = this.#rows.get(before[0]!.job_id);
    const job = this.#edited.jobs[after[0]!.job]!;
    return row !== undefined && row.blueprint !== 3 && row.name === job.name && row.scope === job.scope;
  }

  #compare(storedSet: number | null, editedSet: number | null): RerunReason | null {
    if (this.#storedText(storedSet) === this.#editedText(editedSet)) return null;
    const before = new Set(this.#storedMembers(storedSet).map(({ label }) => label));
    const after = this.#editedMembers(editedSet).map(({ label }) => label);
    const added = after.find((label) => !before.has(label));
    if (added !== undefined) return { kind: 'dependency_added', job: added };
    const left = new Set(after);
    const removed = [...before].find((label) => !left.has(label));
    if (removed !== undefined) return { kind: 'dependency_removed', job: removed };
    return { kind: 'dependencies_changed' };
  }

  #storedText(set: number | null): string {
    if (set === null) return '';
    const known = this.#storedTexts.get(set) ?? textOf(this.#storedMembers(set));
    this.#storedTexts.set(set, known);
    return known;
  }

  #editedText(set: number | null): string {
    if (set === null) return '';
    const known = this.#editedTexts.get(set) ?? textOf(this.#editedMembers(set));
    this.#editedTexts.set(set, known);
    return known;
  }

  /** Jobs of items are members beside the blueprint that the spec names. */
  #storedMembers(set: number | null): Member[] {
    const members = set === null ? [] : (this.#stored.sets.get(set) ?? []);
    return members.flatMap(({ job_id, kind }) => {
      const row = this.#rows.get(job_id);
      if (row === undefined || row.blueprint === 3 || patternOf(row.scope) !== row.scope) return [];
      return { label: jobLabel(row), kind };
    });
  }

  #editedMembers(set: number | null): Member[] {
    const members = set === null ? [] : this.#edited.sets[set]!;
    return members.map(({ job, kind }) => ({ label: jobLabel(this.#edited.jobs[job]!), kind }));
  }
}

/** Groups of alternatives are numbered in the order of the spec; a group is known by its first member. */
function textOf(members: readonly Member[]): string {
  const sorted = [...members].sort((a, b) => (a.label < b.label ? -1 : 1));
  const groups = new Map<number, string>();
  for (const { label, kind } of sorted) if (kind > 0 && !groups.has(kind)) groups.set(kind, label);
  return sorted.map(({ label, kind }) => `${kind > 0 ? `|${groups.get(kind)}` : kind} ${label}`).join('\n');
}
