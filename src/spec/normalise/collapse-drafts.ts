import { shellName } from '../../core/job/shell.ts';
import type { Findings } from '../findings.ts';
import { formatPath } from '../problem.ts';
import { isStandIn } from '../schema/reading/parse-structure.ts';
import type { JobDraft, Reference } from './job-draft.ts';

/**
 * One draft per name. Expansions of one written job with equal names become one job with the union of
 * what they refer to, which is how a sweep is gathered; anything else with an equal name is a mistake.
 */
export function collapseDrafts(drafts: readonly JobDraft[], findings: Findings): JobDraft[] {
  const byName = new Map<string, JobDraft>();
  const gathered = new Map<JobDraft, Gathered>();
  const collapsed: JobDraft[] = [];
  for (const draft of drafts) {
    const namePath = draft.path[0] === 'jobs' ? [...draft.path, 'name'] : draft.path;
    if (draft.name.trim() === '' || /[\n\r\0]/.test(draft.name)) {
      findings.expansionError(namePath, 'an expansion has an empty name, or one with control characters');
    }
    const known = byName.get(draft.name);
    if (known === undefined) {
      collapsed.push(draft);
      if (!isStandIn(draft.name)) byName.set(draft.name, draft);
    } else if (known.path !== draft.path) {
      findings.expansionError(
        namePath,
        `the name "${draft.name}" is already used by ${formatPath(known.path)}`,
      );
    } else {
      const difference = differingPart(known, draft);
      if (difference) {
        findings.expansionError(
          namePath,
          `several expansions are named "${draft.name}", but differ in their ${difference}; put a parameter into the name`,
        );
      }
      let union = gathered.get(known);
      if (!union) {
        union = new Map(GATHERED_KEYS.map((key) => [key, byText(new Map(), known[key])]));
        gathered.set(known, union);
      }
      for (const key of GATHERED_KEYS) byText(union.get(key)!, draft[key]);
    }
  }
  for (const [draft, union] of gathered) {
    for (const key of GATHERED_KEYS) draft[key] = [...union.get(key)!.values()];
  }
  return collapsed;
}

const GATHERED_KEYS = [
  'dependsOn',
  'dependsOnRegexes',
  'inputFiles',
  'outputFiles',
  'inputUserData',
  'outputUserData',
] as const;
type Gathered = Map<(typeof GATHERED_KEYS)[number], Map<string, Reference>>;

function byText(into: Map<string, Reference>, references: readonly Reference[]): Map<string, Reference> {
  for (const reference of references) if (!into.has(reference.text)) into.set(reference.text, reference);
  return into;
}

function differingPart(a: JobDraft, b: JobDraft): string | undefined {
  if (a.command !== b.command) return 'command';
  if (a.cwd !== b.cwd) return 'cwd';
  if (a.settings.shell !== b.settings.shell && shellName(a.settings.shell) !== shellName(b.settings.shell)) {
    return 'shell';
  }
  if (a.labels.join('\0') !== b.labels.join('\0')) return 'labels';
  if (a.requirement !== b.requirement) return 'requirements';
  if (a.settings.scheduler !== b.settings.scheduler) return 'scheduler';
  if (a.failureHandler !== b.failureHandler) return 'failure handler';
  if (a.post?.command !== b.post?.command) return 'post script';
  if (routeNames(a) !== routeNames(b)) return 'routes';
  return a.env !== b.env && JSON.stringify(a.env) !== JSON.stringify(b.env) ? 'env' : undefined;
}

function routeNames({ onFail, onSuccess }: JobDraft): string {
  const named = [onFail === 'none' ? null : onFail, onSuccess].flatMap((routes) => [
    ...(routes?.run ?? []),
    routes?.goto,
  ]);
  return named.map((reference) => reference?.text ?? '').join('\0');
}
