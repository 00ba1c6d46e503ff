import { causeOf, outcome } from '../job/outcome.ts';
import type { PostCodes, PostResult } from '../job/post-result.ts';
import { decide } from '../policy/decide.ts';
import { type Decision, NO_HISTORY, PLAIN_END } from '../policy/decision.ts';
import { type AttemptFacts, type ClassifiedAttempt, classifyAttempt } from '../request/classify-attempt.ts';
import type { Rulebook } from '../request/request-model.ts';
import type { NodeFacts } from './node-facts.ts';

export interface NodePolicy extends Pick<NodeFacts, 'retry' | 'handler' | 'continue_on_failure'> {
  codes: PostCodes;
  /** Only differences to it mean something. */
  now: number;
}

/**
 * What follows from an attempt of a node of a DAG: what the engine would decide about the job, as an exit code that
 * DAGMan understands. Pure.
 */
export function decideNode(
  facts: AttemptFacts,
  rulebook: Rulebook | null,
  policy: NodePolicy,
): ClassifiedAttempt {
  const { permanent_code: unless_exit_code, abort_code: abort_dag_code } = policy.codes;
  const classified = classifyAttempt(facts, rulebook, { unless_exit_code, abort_dag_code });
  const decided =
    policy.handler === null
      ? waited(classified, facts, policy)
      : handled(classified, decision(facts, null, policy), facts, policy);
  return policy.continue_on_failure ? withoutConsequence(decided) : decided;
}

/** The post step has classified the attempt; the retry policy of the job says whether and when it is tried again. */
function waited(classified: ClassifiedAttempt, facts: AttemptFacts, policy: NodePolicy): ClassifiedAttempt {
  if (classified.classification.action !== 'retry') return classified;
  // A removed job is tried again as long as DAGMan has retries, without the budget for lost workers.
  if (causeOf(facts.outcome) === 'lost') return classified;
  const decided = decision(facts, postOf(classified, facts), policy);
  return decided.verdict.kind === 'retry'
    ? { ...classified, delay_ms: decided.verdict.notBefore - policy.now }
    : handled(classified, decided, facts, policy);
}

function decision(facts: AttemptFacts, post: PostResult | null, policy: NodePolicy): Decision {
  const { retry, handler, codes, now } = policy;
  return decide(
    {
      ...PLAIN_END,
      outcome: facts.outcome,
      attemptId: facts.failures_before + 1,
      startedAt: now,
      finishedAt: now,
      seed: facts.failures_before,
      post,
      stderrMatches: facts.found.stderr,
    },
    {
      handler,
      retry: { ...retry, max_retries_preemption: facts.max_retries },
      deadlineMs: null,
      usePendingFailed: false,
      memoryBytes: facts.memory_bytes,
      runtimeMs: facts.runtime_ms,
      routes: null,
      postCodes: codes,
    },
    { ...NO_HISTORY, failures: facts.failures_before, preemptions: facts.failures_before },
  );
}

function handled(
  classified: ClassifiedAttempt,
  decided: Decision,
  facts: AttemptFacts,
  { codes, now }: NodePolicy,
): ClassifiedAttempt {
  const { verdict, category, rule, reason } = decided;
  const base = { ...classified.classification, category, reason: `${classified.sentence}; ${reason}` };
  const result = (
    action: ClassifiedAttempt['classification']['action'],
    exit_code: number,
  ): ClassifiedAttempt => ({
    ...classified,
    exit_code,
    classification: { ...base, action, retryable: action === 'retry' || action === 'retries_exhausted' },
    memory_bytes: null,
    runtime_ms: null,
    delay_ms: null,
    final: action !== 'retry',
    sentence: base.reason,
  });
  switch (verdict.kind) {
    case 'complete':
      return decided.cause === null ? classified : result('absorbed', 0);
    case 'abort':
      return result('abort', codes.abort_code);
    case 'retry':
    case 'requeue':
      return {
        ...result('retry', classified.exit_code === 0 ? 1 : classified.exit_code),
        memory_bytes: decided.memoryBytes,
        runtime_ms: decided.runtimeMs,
        delay_ms: verdict.notBefore === null ? null : verdict.notBefore - now,
      };
    default:
      return rule === 'final'
        ? result('permanent_failure', codes.permanent_code)
        : // DAGMan may have retries left that were meant for other failures.
          result('retries_exhausted', facts.failures_before >= facts.max_retries ? 1 : codes.permanent_code);
  }
}

/** As the engine gets it from the post step. */
function postOf(classified: ClassifiedAttempt, { report }: AttemptFacts): PostResult {
  return {
    exit_code: classified.exit_code,
    category: classified.classification.category,
    bad_inputs: classified.bad_inputs,
    memory_bytes: classified.memory_bytes,
    runtime_ms: classified.runtime_ms,
    delay_ms: classified.delay_ms,
    reason: null,
    report_code: report?.exit_code ?? null,
    message: null,
    problem: null,
    log_tail: null,
  };
}

/** A failure that fails nothing else ends with success for DAGMan, once nothing more is tried. */
function withoutConsequence(classified: ClassifiedAttempt): ClassifiedAttempt {
  const { action } = classified.classification;
  if (action !== 'permanent_failure' && action !== 'retries_exhausted') return classified;
  const sentence = `${classified.sentence}; nothing depends on it`;
  return {
    ...classified,
    exit_code: 0,
    classification: { ...classified.classification, action: 'absorbed', reason: sentence },
    sentence,
  };
}

/** A job whose log says that the limit of its own submit file ended it. */
export function timedOut(limitSec: number | null): ReturnType<typeof outcome> {
  return outcome({ timed_out: true, ...(limitSec !== null && { time_limit_ms: limitSec * 1000 }) });
}
