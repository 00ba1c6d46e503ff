import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { PostOrder } from '../../contract/records/errand.ts';
import type { Claim, FinishReport } from '../../contract/records/exchange.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { crashedPost, type PostResult } from '../../core/job/post-result.ts';
import type { RulebookRule } from '../../core/request/request-model.ts';
import { type AttemptOfJob, attemptFiles, type SpawnSettings } from '../execute/spawn-order.ts';
import { type MatchesPatterns, NO_RULEBOOK, runPostStep, type UsableRulebook } from './post-step.ts';

/** The attempt of an order, of this worker or of one that died. */
export type EndedAttempt = AttemptOfJob &
  Pick<Claim, 'job_name' | 'scope'> & { memory_bytes: number | null; report: FinishReport };

/**
 * The built-in post step, in this process. It can be repeated: the same evidence gives the same result and the same record.
 * Evidence on another machine cannot be seen from here, and is not taken for none.
 */
export async function runBuiltinPost(
  attempt: EndedAttempt,
  order: PostOrder,
  { stateDir, site = 'local' }: SpawnSettings,
  matcher: MatchesPatterns,
): Promise<PostResult> {
  const { config, report } = attempt;
  const { post } = config;
  if (post?.kind !== 'builtin') throw new Error('not the built-in post step');
  const files = attemptFiles(attempt, stateDir);
  if (order.left !== undefined && report.started_at_ms !== null && !existsSync(files.workDir)) {
    return crashedPost('its worker died, and the files of the attempt are not on this machine');
  }
  try {
    const { result } = await runPostStep({
      attempt: {
        node: post.node ?? jobLabel({ name: attempt.job_name, scope: attempt.scope }),
        run: attempt.run_id,
        attempt: attempt.attempt_id,
        outcome: report.outcome,
        usage: report.usage,
        started_at_ms: report.started_at_ms,
        finished_at_ms: report.finished_at_ms,
        site,
        schedd: null,
        hold_reason: null,
        items: post.items,
        failures_before: order.failures_before,
        max_retries: config.retry.max_retries_failure,
        memory_bytes: attempt.memory_bytes,
        runtime_ms: config.timeout_ms,
        report_path: files.reportPath,
        stderr_path: files.stderrPath,
      },
      loadRulebook: async () => rulebookOf(order, post.rulebook),
      settings: { unless_exit_code: post.permanent_code, abort_dag_code: post.abort_code },
      directory: resolve(attempt.cwd, post.directory),
      matcher,
    });
    return result;
  } catch (error) {
    return crashedPost((error as Error).message);
  }
}

function rulebookOf({ rulebook }: PostOrder, name: string | null): UsableRulebook {
  if (name === null) return NO_RULEBOOK;
  if (rulebook === null) return { rulebook: null, problem: `the rulebook ${name} is missing` };
  try {
    const rules = JSON.parse(rulebook.rules) as RulebookRule[];
    return { rulebook: { name: rulebook.name, rules }, problem: null };
  } catch {
    return { rulebook: null, problem: `the rulebook ${name} is unreadable` };
  }
}
