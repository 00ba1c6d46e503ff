import type { DependencyReason, DependencySet } from '../../../core/model/workflow-model.ts';
import type { Findings } from '../../findings.ts';
import { matchingIndexes, patternError } from '../../pattern.ts';
import { formatPath } from '../../problem.ts';
import { isStandIn } from '../../schema/reading/parse-structure.ts';
import { didYouMean } from '../../suggest.ts';
import { type JobDraft, pathOf, type Reference } from '../job-draft.ts';
import { withoutIdleGroups } from './any-of.ts';
import { DependencySets } from './dependency-sets.ts';

export interface Dependencies {
  /** For each job its set, or null. */
  setOf: (number | null)[];
  sets: DependencySet[];
  reasons: DependencyReason[];
}

/** More reasons of one kind than this are shown as one. */
const MANY = 10;

/** What each job waits for: by name, by pattern, through files and user data, or because of the written order. */
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
    const previous = before.get(job);
    if (previous === undefined && !waitsForAny(draft)) return null;
    const found = new Found(job, reasons);
    found.all('depends_on', draft.dependsOn, (reference) => resolver.byName(reference, draft));
    found.all('depends_on_regexes', draft.dependsOnRegexes, (pattern) => resolver.byPattern(pattern, job));
    found.all('file', draft.inputFiles, (file) => resolver.files.of(file, job));
    found.all('user_data', draft.inputUserData, (value) => resolver.userData.of(value, job));
    if (previous !== undefined) {
      found.all('written order', [{ text: drafts[previous]!.name, path: draft.path }], () => [previous]);
    }
    const { members, anyOf } = withoutIdleGroups(found);
    return sets.add(members, { anyOf });
  });
  return { setOf, sets: sets.sets, reasons };
}

function waitsForAny({ dependsOn, dependsOnRegexes, inputFiles, inputUserData }: JobDraft): boolean {
  return dependsOn.length + dependsOnRegexes.length + inputFiles.length + inputUserData.length > 0;
}

/** The jobs that a text stands for: all of them, or a group of which one is enough. */
type Resolved = readonly number[] | { oneOf: number[] };

/** Dependencies of one job while they are found. */
class Found {
  members: readonly number[] = [];
  readonly anyOf: number[][] = [];
  readonly #job: number;
  readonly #reasons: DependencyReason[];

  constructor(job: number, reasons: DependencyReason[]) {
    this.#job = job;
    this.#reasons = reasons;
  }

  all(
    kind: DependencyReason['kind'],
    written: readonly Reference[],
    resolve: (reference: Reference) => Resolved,
  ): void {
    if (written.length === 0) return;
    const via: string[] = [];
    const members: number[] = [];
    for (const reference of written) {
      const found = resolve(reference);
      if ('oneOf' in found) {
        this.anyOf.push(found.oneOf);
        via.push(reference.text);
        continue;
      }
      if (found.length === 0) continue;
      via.push(reference.text);
      // The only source keeps its own array, which the sets recognise without looking inside.
      if (this.members.length === 0 && written.length === 1) this.members = found;
      else for (const job of found) members.push(job);
    }
    if (members.length > 0) this.members = [...this.members, ...members];
    const texts = via.length > MANY ? [`${via.slice(0, 3).join(', ')} and ${via.length - 3} more`] : via;
    for (const text of texts) this.#reasons.push({ job: this.#job, kind, via: text });
  }
}

class Resolver {
  readonly #drafts: readonly JobDraft[];
  /** Made when a name or a pattern is looked up for the first time: a sweep of a million jobs may need neither. */
  #names: string[] | undefined;
  #jobs: Map<string, number> | undefined;
  /** One array for each job, which sets recognise. */
  readonly #found = new Map<number, readonly number[]>();
  readonly #byPattern = new Map<string, number[]>();
  readonly files: Producers;
  readonly userData: Producers;
  readonly #findings: Findings;

  constructor(drafts: readonly JobDraft[], findings: Findings) {
    this.#drafts = drafts;
    this.#findings = findings;
    this.files = new Producers(
      drafts,
      ({ outputFiles }) => outputFiles,
      (path, by) => `${path} is also written by ${by}; a file has one producer`,
      findings,
    );
    this.userData = new Producers(
      drafts,
      ({ outputUserData }) => outputUserData,
      (name, by) => `"${name}" is also set by ${by}; a value has one producer`,
      findings,
    );
  }

  get #byName(): ReadonlyMap<string, number> {
    if (this.#jobs === undefined) {
      this.#jobs = new Map();
      for (const [job, { name }] of this.#drafts.entries()) if (!isStandIn(name)) this.#jobs.set(name, job);
    }
    return this.#jobs;
  }

  #exact(name: string): readonly number[] | undefined {
    const job = this.#byName.get(name);
    if (job === undefined) return undefined;
    const known = this.#found.get(job) ?? [job];
    this.#found.set(job, known);
    return known;
  }

  /** A name, or several with `|` between them; one that contains a `|` itself is taken as it is. */
  byName(reference: Reference, draft: JobDraft): Resolved {
    const found = this.#exact(reference.text);
    if (found) return found;
    if (!reference.text.includes('|')) return this.#named(reference.text, reference, draft);
    const oneOf = reference.text.split('|').flatMap((name) => this.#named(name.trim(), reference, draft));
    return oneOf.length === 0 ? [] : { oneOf };
  }

  #named(name: string, reference: Reference, draft: JobDraft): readonly number[] {
    const found = this.#exact(name);
    if (found) return found;
    const kind = draft.path[0] === 'steps' ? 'step' : 'job';
    const problem =
      name === ''
        ? `"${reference.text}" lacks a name beside a |; write a|b for one of two`
        : `there is no ${kind} "${name}"${patternHint(name, kind) ?? didYouMean(name, this.#byName.keys())}`;
    this.#findings.expansionError(pathOf(reference), problem);
    return [];
  }

  /** Jobs in whose names the pattern is found, except the job itself: a pattern for all others may match it too. */
  byPattern(pattern: Reference, job: number): readonly number[] {
    let found = this.#byPattern.get(pattern.text);
    if (!found) {
      const problem = patternError(pattern.text);
      if (problem) this.#findings.error(pathOf(pattern), problem);
      this.#names ??= this.#drafts.map(({ name }) => name);
      found = problem ? [] : matchingIndexes(pattern.text, this.#names);
      this.#byPattern.set(pattern.text, found);
      if (!problem && found.every((match) => match === job)) {
        this.#findings.expansionError(pathOf(pattern), `"${pattern.text}" matches no other job`);
      }
    }
    return found.includes(job) ? found.filter((match) => match !== job) : found;
  }
}

/** Which job makes what others read. */
class Producers {
  readonly #producers = new Map<string, number[]>();

  constructor(
    drafts: readonly JobDraft[],
    outputs: (draft: JobDraft) => readonly Reference[],
    conflict: (text: string, by: string) => string,
    findings: Findings,
  ) {
    for (const [job, draft] of drafts.entries()) {
      for (const output of outputs(draft)) {
        const producer = this.#producers.get(output.text)?.[0];
        if (producer === undefined) this.#producers.set(output.text, [job]);
        else if (producer !== job) {
          const { name, path } = drafts[producer]!;
          const by = `"${name}" (${formatPath(path)})`;
          findings.expansionError(pathOf(output), conflict(output.text, by));
        }
      }
    }
  }

  /** None where the job itself is the producer: it does not wait for itself. */
  of({ text }: Reference, job: number): readonly number[] {
    const found = this.#producers.get(text) ?? [];
    return found[0] === job ? [] : found;
  }
}

/** What to write instead of a name with a wildcard of the shell; null: it has none. */
function patternHint(name: string, kind: 'job' | 'step'): string | null {
  if (!/[*?]/.test(name)) return null;
  if (kind === 'step') return '; steps are named one by one';
  const pattern = `^${name
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')}$`;
  return `, and names are compared as they are; write depends_on_regexes: [${JSON.stringify(pattern)}]`;
}
