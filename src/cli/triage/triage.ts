import type { Engine } from '../../contract/engine.ts';
import type { Explanation } from '../../contract/records/records.ts';
import type { ResolveResult } from '../../contract/records/resolution.ts';
import { newestJob, type SampledFailureGroup } from '../../views/failure-group.ts';
import { type AnsweredGroup, planCount, planDecisions, planWords, type TriageAnswer } from './plan-triage.ts';
import { sampleGroup } from './sample-group.ts';

/** A group that needs an answer. */
export interface AskedGroup {
  group: SampledFailureGroup;
  /** Why the newest job of it is where it is. */
  explanation: Explanation;
  position: number;
  of: number;
}

/** Answers questions about failures. null: the dialogue was left, and nothing is to be changed. */
export interface Triager {
  /** `quit`: ask about nothing more. */
  ask(asked: AskedGroup): Promise<TriageAnswer | 'quit' | null>;
  /** `words`: what would be done, in sentences; `count` in short. */
  confirm(words: string[], count: string): Promise<boolean | null>;
}

export interface TriageRequest {
  workflowId: number;
  fingerprint?: string;
  actor: string;
  dryRun: boolean;
}

/** `none`: nothing waits. `nothing`: no answer, or not confirmed. `left`: as `nothing`, in the middle of a question. */
export type TriageEnd = ResolveResult | 'none' | 'nothing' | 'left';

/** Asks about each group that waits for a decision, and applies all answers at once at the end. */
export async function triage(engine: Engine, request: TriageRequest, person: Triager): Promise<TriageEnd> {
  const { workflowId, fingerprint, actor, dryRun } = request;
  const groups = await engine.listFailures(workflowId, {
    status: ['pending_failed'],
    ...(fingerprint !== undefined && { fingerprint }),
  });
  if (groups.length === 0) return 'none';
  const answered: AnsweredGroup[] = [];
  for (const [index, each] of groups.entries()) {
    const group = await sampleGroup(engine, workflowId, each);
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
