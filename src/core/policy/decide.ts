import type { JobStatus } from '../job/job-status.ts';
import { type Category, type Cause, causeOf, matchCode } from '../job/outcome.ts';
import {
  type Charge,
  type Decision,
  type Ended,
  type HandlerOutcome,
  type History,
  type OpenCode,
  type Policy,
  RULE_NAMES,
  type RuleName,
  type Verdict,
  type WalkStep,
} from './decision.ts';
import { type Case, RULES, type RuleAnswer, routed, type Verdicts } from './decision-rules.ts';
import { matchRules } from './failure-rule.ts';

/** The decision about an attempt whose code has all been evaluated. */
export function decide(ended: Ended, policy: Policy, history: History): Decision {
  const { decision, open } = decideOrAsk(ended, policy, history);
  if (decision === null) throw new Error(`not evaluated before the decision: ${open.keys.join(', ')}`);
  return decision;
}

/** Either a decision, or the code that has to be evaluated before there can be one. */
export type DecisionOrCode = { decision: Decision; open: null } | { decision: null; open: OpenCode };

/** Pure and total: the same facts, policy and history always give the same decision. */
export function decideOrAsk(ended: Ended, policy: Policy, history: History): DecisionOrCode {
  const facts = judge(ended, policy, history);
  const walk: WalkStep[] = [];
  let handlerOutcome: HandlerOutcome | null = null;
  for (const rule of RULE_NAMES) {
    const answer: RuleAnswer = RULES[rule](facts);
    handlerOutcome = answer.handlerOutcome ?? handlerOutcome;
    if (answer.skip !== undefined) {
      walk.push({ rule, applies: false, because: answer.skip });
      continue;
    }
    if (answer.open !== undefined) return { decision: null, open: answer.open };
    if (answer.unlessRouted !== undefined && facts.policy.routes?.onFail != null) {
      const route = routed(facts, answer.unlessRouted === 'change' ? answer.because : null);
      if (route.open !== undefined) return { decision: null, open: route.open };
      walk.push({ rule, applies: route.skip !== undefined, because: answer.because });
      if (route.skip === undefined) {
        walk.push({ rule: 'routes', applies: true, because: route.because });
        return { decision: decisionOf(facts, 'routes', route, handlerOutcome, walk), open: null };
      }
    } else walk.push({ rule, applies: true, because: answer.because });
    return { decision: decisionOf(facts, rule, answer, handlerOutcome, walk), open: null };
  }
  throw new Error('the last rule applies to everything');
}

function decisionOf(
  facts: Case,
  rule: RuleName,
  answer: Verdicts,
  handlerOutcome: HandlerOutcome | null,
  walk: WalkStep[],
): Decision {
  const { verdict } = answer;
  return {
    verdict,
    status: statusAfter(verdict),
    notBefore: verdict.kind === 'retry' || verdict.kind === 'requeue' ? verdict.notBefore : null,
    succeeded: answer.accepted === true && verdict.kind !== 'loop_abort',
    charge: answer.accepted === true ? null : chargeOf(facts, verdict),
    cause: facts.cause,
    matchCode: facts.code,
    category: facts.category,
    rule,
    reason: answer.because,
    handlerOutcome,
    recoveryScript: answer.recoveryScript ?? null,
    recoveryTimeoutMs: answer.recoveryTimeoutMs ?? null,
    memoryBytes: answer.memoryBytes ?? null,
    runtimeMs: answer.runtimeMs ?? null,
    walk,
  };
}

function statusAfter(verdict: Verdict): JobStatus {
  switch (verdict.kind) {
    case 'complete':
      return 'completed';
    case 'retry':
    case 'requeue':
      return 'ready';
    case 'fail':
    case 'abort':
    case 'loop_abort':
      return verdict.status;
    case 'ask':
      return 'pending_failed';
    case 'cancel':
      return 'canceled';
    case 'disable':
      return 'disabled';
    case 'call':
    case 'goto':
    case 'supersede':
      return 'blocked';
  }
}

/** Stopped, canceled, overtaken, disabled and never started attempts are free; so is one that was accepted. */
function chargeOf({ cause, ended }: Case, { kind }: Verdict): Charge | null {
  if (cause === null || kind === 'supersede' || kind === 'cancel') return null;
  if (cause === 'lost') return ended.startedAt === null ? null : 'preemption';
  return cause === 'stopped' ? null : 'failure';
}

/** Puts together what the rules look at: cause, match code, the matching rule, category. */
function judge(ended: Ended, policy: Policy, history: History): Case {
  const { outcome, post } = ended;
  // `fail_if`, or a post script that does not accept, makes a failure of what succeeded.
  const refused = ended.failIf !== null || (post !== null && post.exit_code !== 0);
  const cause = ended.disabled ? null : (causeOf(outcome) ?? (refused ? 'exit' : null));
  const code = matchCode(outcome);
  const isPermanent = post !== null && post.exit_code === policy.postCodes.permanent_code;
  const word = isPermanent ? (post.category === 'data' ? 'data' : 'permanent') : post?.category;
  const builtIn = categoryOf(cause);
  const judged = builtIn === null ? null : (word ?? builtIn);
  const rules = policy.handler === null || policy.handler === 'unreadable' ? [] : policy.handler.rules;
  const { match, observed } =
    cause === null || judged === null || cause === 'lost'
      ? { match: null, observed: [] }
      : matchRules(rules, { outcome, code, cause, category: judged, stderrMatches: ended.stderrMatches });
  const category = judged === null ? null : (word ?? match?.rule.category ?? judged);
  return { ended, policy, history, cause, code, category, match, observed };
}

/** The built-in judgement: never permanent, never data. */
function categoryOf(cause: Cause | null): Category | null {
  switch (cause) {
    case null:
    case 'stopped':
    case 'canceled':
      return null;
    case 'lost':
    case 'spawn':
      return 'infrastructure';
    default:
      return 'transient';
  }
}
