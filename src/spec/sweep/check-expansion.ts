import type { Findings } from '../findings.ts';
import type { SpecPath } from '../problem.ts';
import type { WorkflowSpec } from '../schema/workflow-schema.ts';
import type { Sweep } from './expand-sweep.ts';
import { MAX_EXPANSIONS, parameterCount } from './parameter-values.ts';

/** What a spec may become. */
export interface ExpansionLimits {
  /** Jobs after expansion; the same number of files, and of user data. */
  jobs: number;
  /** All jobs together, as they would be stored. */
  bytes: number;
  /** What to do about a spec that is larger, for the message. */
  wayOut: string;
}

export const DEFAULT_EXPANSION: ExpansionLimits = {
  jobs: MAX_EXPANSIONS,
  bytes: 1024 ** 3,
  wayOut: 'split the workflow',
};

/** Counts before anything is expanded: a few bytes can stand for a million jobs. False if there are too many. */
export function checkExpansion(spec: WorkflowSpec, limits: ExpansionLimits, findings: Findings): boolean {
  const shared = new Map(
    Object.entries(spec.parameters ?? {}).map(([name, written]) => [name, parameterCount(written)]),
  );
  const sections = {
    jobs: spec.jobs ?? Object.values(spec.steps ?? {}),
    files: spec.files ?? [],
    user_data: spec.user_data ?? [],
  };
  const common = sizeOf(spec.env);
  for (const [section, entries] of Object.entries(sections)) {
    const path: SpecPath = section === 'jobs' && !spec.jobs ? ['steps'] : [section];
    let count = 0;
    let bytes = 0;
    for (const entry of entries) {
      const expansions = expansionsOf(entry as Sweep, shared);
      count += expansions;
      // Values of a sweep are not stored with each of its jobs.
      const { parameters, include, exclude, ...stored } = entry as Sweep;
      bytes += sizeOf([parameters, include, exclude]);
      bytes += expansions * (sizeOf(stored) + (section === 'jobs' ? common : 0));
    }
    if (count > limits.jobs) {
      findings.error(path, tooMany(`expand to ${inWords(count)}`, inWords(limits.jobs), limits));
      return false;
    }
    if (bytes > limits.bytes) {
      findings.error(path, tooMany(`expand to ${inWords(bytes)} bytes`, inWords(limits.bytes), limits));
      return false;
    }
  }
  return true;
}

function tooMany(what: string, limit: string, { wayOut }: ExpansionLimits): string {
  return `these ${what}, and the limit is ${limit}; ${wayOut}`;
}

/** How many there would be of an entry. A sweep that is refused for itself counts as one. */
function expansionsOf(sweep: Sweep, shared: ReadonlyMap<string, number>): number {
  const counts = [
    ...(sweep.use_parameters ?? []).map((name) => shared.get(name) ?? 1),
    ...Object.values(sweep.parameters ?? {}).map(parameterCount),
  ];
  if (counts.length === 0) return 1;
  const combined = sweep.parameter_mode === 'zip' ? counts[0]! : counts.reduce((sum, each) => sum * each, 1);
  const all = combined + (sweep.include?.length ?? 0);
  return all > MAX_EXPANSIONS ? 1 : all;
}

function sizeOf(entry: unknown): number {
  return entry === undefined ? 0 : JSON.stringify(entry).length;
}

function inWords(count: number): string {
  return count.toLocaleString('en-US');
}
