import type { DependencyReason } from '../../core/workflow-model.ts';
import type { Findings } from '../findings.ts';
import { matchingIndexes, patternError } from '../pattern.ts';
import { formatPath } from '../problem.ts';
import { isStandIn } from '../schema/parse-structure.ts';
import { didYouMean } from '../suggest.ts';
import { DependencySets } from './dependency-sets.ts';
import { type JobDraft, pathOf, type Reference } from './job-draft.ts';

export interface Dependencies {
  /** For each job its set, or null. */
  setOf: (number | null)[];
  sets: number[][];
  reasons: DependencyReason[];
}

/** More reasons of one kind than this are told as one. */
const MANY = 10;

/** What each job waits for: by name, by pattern, through files, or because of the written order. */
export function resolveDependencies(
  drafts: readonly JobDraft[],
  /** The jobs that run one after another because none says otherwise. */
  writtenOrder: readonly number[],
  findings: Findings,
): Dependencies {
  const resolver = new Resolver(drafts, findings);
  const before = new Map(writtenOrder.slice(1).map((job, index) => [job, writtenOrder[index]!]));
  const sets = new DependencySets();
  const reasons: DependencyReason[] = [];
  const setOf = drafts.map((draft, job) => {
    const found = new Found(job, reasons);
    found.all('depends_on', draft.dependsOn, (reference) => resolver.byName(reference, draft));
    found.all('depends_on_regexes', draft.dependsOnRegexes, (pattern) => resolver.byPattern(pattern, job));
    found.all('file', draft.inputFiles, (file) => resolver.producers(file, job));
    const previous = before.get(job);
    if (previous !== undefined) {
      found.all('written order', [{ text: drafts[previous]!.name, path: draft.path }], () => [previous]);
    }
    return sets.add(found.members);
  });
  return { setOf, sets: sets.sets, reasons };
}

/** Dependencies of one job while they are found. */
class Found {
  members: readonly number[] = [];
  readonly #job: number;
  readonly #reasons: DependencyReason[];

  constructor(job: number, reasons: DependencyReason[]) {
    this.#job = job;
    this.#reasons = reasons;
  }

  all(
    kind: DependencyReason['kind'],
    written: readonly Reference[],
    resolve: (reference: Reference) => readonly number[],
  ): void {
    if (written.length === 0) return;
    const via: string[] = [];
    const members: number[] = [];
    for (const reference of written) {
      const found = resolve(reference);
      if (found.length === 0) continue;
      via.push(reference.text);
      // The only source keeps its own array, which the sets recognise without looking inside.
      if (this.members.length === 0 && written.length === 1) this.members = found;
      else for (const job of found) members.push(job);
    }
    if (members.length > 0) this.members = [...this.members, ...members];
    const told = via.length > MANY ? [`${via.slice(0, 3).join(', ')} and ${via.length - 3} more`] : via;
    for (const text of told) this.#reasons.push({ job: this.#job, kind, via: text });
  }
}

class Resolver {
  readonly #names: string[];
  readonly #byName = new Map<string, number[]>();
  readonly #byPattern = new Map<string, number[]>();
  readonly #producers = new Map<string, number[]>();
  readonly #findings: Findings;

  constructor(drafts: readonly JobDraft[], findings: Findings) {
    this.#findings = findings;
    this.#names = drafts.map((draft) => draft.name);
    for (const [job, draft] of drafts.entries()) {
      if (!isStandIn(draft.name)) this.#byName.set(draft.name, [job]);
      for (const file of draft.outputFiles) {
        const { text } = file;
        const producer = this.#producers.get(text)?.[0];
        if (producer === undefined) this.#producers.set(text, [job]);
        else if (producer !== job) {
          const other = drafts[producer]!;
          findings.expansionError(
            pathOf(file),
            `${text} is also written by "${other.name}" (${formatPath(other.path)}); a file has one producer`,
          );
        }
      }
    }
  }

  byName(reference: Reference, draft: JobDraft): readonly number[] {
    const found = this.#byName.get(reference.text);
    if (found) return found;
    const alternatives = draft.path[0] === 'steps' ? reference.text.split('|') : [reference.text];
    return alternatives.flatMap((name) => {
      const one = this.#byName.get(name.trim());
      if (!one) {
        const kind = draft.path[0] === 'steps' ? 'step' : 'job';
        this.#findings.expansionError(
          pathOf(reference),
          `there is no ${kind} "${name.trim()}"${didYouMean(name.trim(), this.#byName.keys())}`,
        );
      }
      return one ?? [];
    });
  }

  /** Jobs whose whole name matches, except the job itself: a pattern for all others may match it too. */
  byPattern(pattern: Reference, job: number): readonly number[] {
    let found = this.#byPattern.get(pattern.text);
    if (!found) {
      const problem = patternError(pattern.text);
      if (problem) this.#findings.error(pathOf(pattern), problem);
      found = problem ? [] : matchingIndexes(pattern.text, this.#names);
      this.#byPattern.set(pattern.text, found);
      if (!problem && found.every((match) => match === job)) {
        this.#findings.expansionError(pathOf(pattern), `"${pattern.text}" matches no other job`);
      }
    }
    return found.includes(job) ? found.filter((match) => match !== job) : found;
  }

  producers(file: Reference, job: number): readonly number[] {
    const found = this.#producers.get(file.text) ?? [];
    return found[0] === job ? [] : found;
  }
}
