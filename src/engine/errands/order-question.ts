import type { EvaluationOrder, PostOrder } from '../../contract/records/errand.ts';
import { crashedPost } from '../../core/job/post-result.ts';
import { observeAttempt } from '../../store/rows/attempts/attempt-rows.ts';
import type { LiveAttempt } from '../../store/rows/attempts/live-attempt-rows.ts';
import { finishErrandsOf, insertErrand, type NewErrand } from '../../store/rows/errands/errand-rows.ts';
import type { Script } from '../../store/script.ts';
import type { ObservedEnd } from '../decide/end-report.ts';
import type { Judgement } from '../decide/judge-attempt.ts';
import type { Question } from './ask-code.ts';
import { openQuestion } from './open-question.ts';
import { isRepeatable, orderPost, postTimeoutMs } from './order-post.ts';

/** An errand, or an attempt that can be decided, with what was decided on the way. */
export type Ordered =
  | { order: PostOrder | EvaluationOrder; judged?: undefined }
  | { order: null; judged: Judgement | null };

/**
 * Orders what the worker of an attempt has to do before the attempt can be decided: its post script, or the evaluation of
 * code. From here on the attempt cannot be lost any more.
 */
export function* orderQuestion(live: LiveAttempt, report: ObservedEnd, now: number): Script<Ordered> {
  const step = yield* openQuestion(live, report);
  if (step.kind === 'decide') return { order: null, judged: step.judged };
  yield* observe(live, report);
  const errand = { holder: 'attempt', attempt: live, worker_id: live.worker_id } as const;
  if (step.kind === 'post') {
    const id = yield* insertErrand({ ...errand, kind: 'post', timeout_ms: postTimeoutMs(live) }, now);
    return { order: yield* orderPost(id, live) };
  }
  const id = yield* insertErrand({ ...errand, kind: 'evaluation', timeout_ms: null }, now);
  return { order: { kind: 'evaluation', id, token: live.id, ...step.question } };
}

/**
 * Leaves an attempt that had ended when its worker died to any worker, if code has to be evaluated or the built-in post
 * step is open. Returns the report to decide by if neither is.
 */
export function* leaveAttempt<R extends ObservedEnd>(
  live: LiveAttempt,
  observed: R,
  now: number,
): Script<Omit<LeftAttempt<R>, 'step'> | null> {
  yield* finishErrandsOf(live.id, { lost: true }, now);
  const { report, step, judged } = yield* stepLeft(live, observed);
  if (step === null) return { report, judged };
  yield* observe(live, report);
  yield* insertErrand(errandOfLeft(live, step, null), now);
  return null;
}

/** What any worker may do about an attempt whose worker is gone. */
export type LeftStep = { kind: 'post' } | { kind: 'evaluate'; question: Question };

export interface LeftAttempt<R extends ObservedEnd> {
  report: R;
  /** What has to be done before it can be decided; null: nothing. */
  step: LeftStep | null;
  judged: Judgement | null;
}

/** A worker that does it has begun with it. */
export function errandOfLeft(live: LiveAttempt, step: LeftStep, workerId: number | null): NewErrand {
  const kind = step.kind === 'post' ? 'post' : 'evaluation';
  return { kind, holder: 'worker', attempt: live, worker_id: workerId, timeout_ms: null };
}

/**
 * What is known of an attempt whose worker is gone, and what has to be done before it can be decided, if anything. A post
 * script can only run where the attempt ran.
 */
export function* stepLeft<R extends ObservedEnd>(live: LiveAttempt, report: R): Script<LeftAttempt<R>> {
  const step = yield* openQuestion(live, report);
  switch (step.kind) {
    case 'decide':
      return { report, step: null, judged: step.judged };
    case 'evaluate':
      return { report, step, judged: null };
    case 'post':
      if (isRepeatable(live)) return { report, step, judged: null };
      return yield* stepLeft(live, {
        ...report,
        post: crashedPost('it was cut off when its worker died'),
      });
  }
}

/** What is known before post script and code have been heard. */
export function* observe(live: LiveAttempt, report: ObservedEnd): Script<void> {
  yield* observeAttempt(live.id, live.started_at ?? report.started_at_ms, JSON.stringify(report));
}
