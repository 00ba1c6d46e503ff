import type { DagAttempt, DagEvidence } from '../contract/dag-evidence.ts';
import { fingerprint } from '../core/job/fingerprint.ts';
import type { Category } from '../core/job/outcome.ts';

/** Nodes that failed alike. */
export interface DagFailureGroup {
  category: Category | null;
  fingerprint: string;
  nodes: string[];
  /** How many of them failed at each site. */
  sites: Record<string, number>;
  /** One of them. */
  sample: Pick<DagAttempt, 'node' | 'attempt' | 'sentence' | 'log_tail'>;
}

/** Why a DAG ended as it did. */
export interface DagExplanation extends Omit<DagEvidence, 'attempts' | 'units'> {
  /** Attempts that ended, and how many of them failed. */
  attempts: { total: number; failed: number };
  /** Nodes with a failed attempt that succeeded later, or were accepted. */
  recovered: string[];
  by_category: Record<string, number>;
  /** Over all attempts: a retry that succeeded elsewhere would hide a bad site. */
  by_site: Record<string, { attempts: number; failed: number }>;
  bad_input_files: string[];
  groups: DagFailureGroup[];
}

const UNKNOWN_SITE = 'unknown';

/** Final failures in groups, the largest first. */
export function explainDag(evidence: DagEvidence): DagExplanation {
  const { attempts, units: _, ...rest } = evidence;
  const final = attempts.filter((each) => each.final);
  const failedNodes = new Set(final.map(({ node }) => node));
  const failed = attempts.filter((each) => each.failed);
  const recovered = [...new Set(failed.map(({ node }) => node))].filter((node) => !failedNodes.has(node));
  return {
    ...rest,
    attempts: { total: attempts.length, failed: failed.length },
    recovered: evidence.ended === null ? [] : recovered,
    by_category: countBy(final, ({ category }) => category ?? 'unknown'),
    by_site: sitesOf(attempts),
    bad_input_files: [...new Set(final.flatMap(({ bad_input_files }) => bad_input_files))].sort(),
    groups: groupsOf(final),
  };
}

function groupsOf(final: readonly DagAttempt[]): DagFailureGroup[] {
  const groups = new Map<string, DagAttempt[]>();
  for (const each of final) {
    const key = `${each.category} ${fingerprint(each.cause ?? 'exit', each.code, each.log_tail)}`;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups]
    .map(([key, members]): DagFailureGroup => {
      const { node, attempt, sentence, log_tail, category } = members[0]!;
      return {
        category,
        fingerprint: key.split(' ').at(-1)!,
        nodes: members.map((member) => member.node).sort(),
        sites: countBy(members, ({ site }) => site ?? UNKNOWN_SITE),
        sample: { node, attempt, sentence, log_tail },
      };
    })
    .sort((a, b) => b.nodes.length - a.nodes.length || (a.fingerprint < b.fingerprint ? -1 : 1));
}

function sitesOf(attempts: readonly DagAttempt[]): DagExplanation['by_site'] {
  const sites: DagExplanation['by_site'] = {};
  for (const { site, failed } of attempts) {
    const name = site ?? UNKNOWN_SITE;
    const before = Object.hasOwn(sites, name) ? sites[name]! : { attempts: 0, failed: 0 };
    Object.defineProperty(sites, name, {
      value: { attempts: before.attempts + 1, failed: before.failed + (failed ? 1 : 0) },
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return sites;
}

function countBy<T>(all: readonly T[], key: (each: T) => string): Record<string, number> {
  const counts = new Map<string, number>();
  for (const each of all) counts.set(key(each), (counts.get(key(each)) ?? 0) + 1);
  return Object.fromEntries(counts);
}
