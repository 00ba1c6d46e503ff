import {
  type Decision,
  type Ended,
  type HandlerOutcome,
  type History,
  type Policy,
  RULE_NAMES,
  type RuleName,
  type WalkStep,
} from './decision.ts';
import { type Answer, type Case, RULES, routed, type Verdicts } from './decision-rules.ts';
import { matchRules } from './failure-rule.ts';
import { type Category, type Cause, causeOf, matchCode } from './outcome.ts';
import { POST_PERMANENT } from './post-result.ts';

/** Pure and total: the same facts, policy and history always give the same decision. */
export function decide(ended: Ended, policy: Policy, history: History): Decision {
  const facts = judge(ended, policy, history);
  const walk: WalkStep[] = [];
  let handlerOutcome: HandlerOutcome | null = null;
  for (const rule of RULE_NAMES) {
    const answer: Answer = RULES[rule](facts);
    handlerOutcome = answer.handlerOutcome ?? handlerOutcome;
    if (answer.skip !== undefined) {
      walk.push({ rule, applies: false, because: answer.skip });
      continue;
    }
    if (answer.unlessRouted !== undefined && facts.policy.routes?.onFail != null) {
      const route = routed(facts, answer.unlessRouted === 'change' ? answer.because : null);
      walk.push({ rule, applies: route.skip !== undefined, because: answer.because });
      if (route.skip === undefined) {
        walk.push({ rule: 'routes', applies: true, because: route.because });
        return decisionOf(facts, 'routes', route, handlerOutcome, walk);
      }
    } else walk.push({ rule, applies: true, because: answer.because });
    return decisionOf(facts, rule, answer, handlerOutcome, walk);
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
  return {
    verdict: answer.verdict,
    cause: facts.cause,
    matchCode: facts.code,
    category: facts.category,
    rule,
    reason: answer.because,
    handlerOutcome,
    recoveryScript: answer.recoveryScript ?? null,
    memoryBytes: answer.memoryBytes ?? null,
    runtimeMs: answer.runtimeMs ?? null,
    walk,
  };
}

/** Puts together what the rules look at: cause, match code, the matching rule, category. */
function judge(ended: Ended, policy: Policy, history: History): Case {
  const { outcome, post } = ended;
  // `fail_if`, or a post script that does not accept, makes a failure of what succeeded.
  const refused = ended.failIf !== null || (post !== null && post.exitCode !== 0);
  const cause = ended.disabled ? null : (causeOf(outcome) ?? (refused ? 'exit' : null));
  const code = matchCode(outcome);
  const word =
    post?.exitCode === POST_PERMANENT ? (post.category === 'data' ? 'data' : 'permanent') : post?.category;
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
