import type { PostOrder } from '../../contract/records/errand.ts';
import type { PostScript } from '../../core/model/workflow-model.ts';
import { loadHistory } from '../../store/rows/attempts/attempt-rows.ts';
import type { LiveAttempt } from '../../store/rows/attempts/live-attempt-rows.ts';
import { findHandlerNamed } from '../../store/rows/workflows/handler-rows.ts';
import type { Script } from '../../store/script.ts';

/** The errand of a post step, with what its worker cannot know: earlier failures and the rulebook. */
export function* orderPost(id: number, live: LiveAttempt): Script<PostOrder> {
  const post = postOf(live);
  return {
    kind: 'post',
    id,
    token: live.id,
    failures_before: yield* failuresBefore(live),
    rulebook: yield* findRulebook(live.workflow_id, post),
  };
}

/** How long the post step may take; null: the built-in one, which is short. */
export function postTimeoutMs(live: LiveAttempt): number | null {
  const post = postOf(live);
  return post.kind === 'command' ? post.timeout_ms : null;
}

/** Whether another worker may do the post step: it has no effects but its record, which is the same every time. */
export function isRepeatable(live: LiveAttempt): boolean {
  return postOf(live).kind === 'builtin';
}

function postOf(live: LiveAttempt): PostScript {
  return live.config.post!;
}

function* failuresBefore({ job_id, run_id, visit, attempt_id }: LiveAttempt): Script<number> {
  return attempt_id === 1 ? 0 : (yield* loadHistory(job_id, run_id, visit)).failures;
}

function* findRulebook(workflowId: number, post: PostScript): Script<PostOrder['rulebook']> {
  if (post.kind === 'command' || post.rulebook === null) return null;
  const row = yield* findHandlerNamed(workflowId, post.rulebook);
  return row === undefined ? null : { name: row.name, rules: row.rules };
}
