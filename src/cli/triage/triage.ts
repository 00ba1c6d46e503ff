import type { Engine } from '../../core/engine.ts';
import type { Explanation } from '../../core/records.ts';
import type { ResolveResult } from '../../core/resolution.ts';
import { type Answer, type AnsweredGroup, planCount, planDecisions, planWords } from './plan-triage.ts';
import { newestJob, type ToldGroup, toldGroup } from './told-group.ts';

/** A group that somebody is asked about. */
export interface AskedGroup {
  group: ToldGroup;
  /** Why the newest job of it is where it is. */
  explanation: Explanation;
  position: number;
  of: number;
}

/** Somebody who can be asked. null: they left, and nothing is to be changed. */
export interface Triager {
  /** `quit`: ask about nothing more. */
  ask(asked: AskedGroup): Promise<Answer | 'quit' | null>;
  /** `words`: what would be done, in sentences; `count` in short. */
  confirm(words: string[], count: string): Promise<boolean | null>;
}

export interface TriageRequest {
  workflowId: number;
  fingerprint?: string;
  actor: string;
  dryRun: boolean;
}

/** `none`: nothing waits. `nothing`: nobody decided or agreed. `left`: as `nothing`, in the middle of a question. */
export type TriageEnd = ResolveResult | 'none' | 'nothing' | 'left';

/** Goes through what waits for a decision, group by group, and has everything decided at once at the end. */
export async function triage(engine: Engine, request: TriageRequest, person: Triager): Promise<TriageEnd> {
  const { workflowId, fingerprint, actor, dryRun } = request;
  const groups = await engine.listFailures(workflowId, {
    statuses: ['pending_failed'],
    ...(fingerprint !== undefined && { fingerprint }),
  });
  if (groups.length === 0) return 'none';
  const answered: AnsweredGroup[] = [];
  for (const [index, each] of groups.entries()) {
    const group = await toldGroup(engine, workflowId, each);
    const explanation = await engine.explain(workflowId, newestJob(group).job_id);
    const answer = await person.ask({ group, explanation, position: index + 1, of: groups.length });
    if (answer === null) return 'left';
    if (answer === 'quit') break;
    answered.push({ group, answer });
  }
  const decisions = planDecisions(answered);
  if (decisions.length === 0) return 'nothing';
  const tried = await engine.resolve(workflowId, { decisions, actor, dry_run: true });
  if (dryRun) return tried;
  const agreed = await person.confirm(planWords(answered, tried), planCount(decisions));
  if (agreed === null) return 'left';
  return agreed ? engine.resolve(workflowId, { decisions, actor }) : 'nothing';
}
