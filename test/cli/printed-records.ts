import type { ShownExplanation } from '../../src/cli/texts/explanation-text.ts';
import { DEFAULT_JOB_CONFIG, NO_REQUIREMENT } from '../../src/core/model/workflow-model.ts';
import type { ExplainedJob } from '../../src/views/explanation.ts';
import { attempt, counts, job, NOON, status } from './records.ts';

/** A workflow that has failed. */
export const failed = status({
  complete: true,
  exit_code: 1,
  finished_at_ms: NOON - 30_000,
  counts: counts({ completed: 7, failed: 1, canceled: 2 }),
});

/** Of a job that waits for its dependencies. */
export const explanation: ExplainedJob = {
  decisions: [],
  job: {
    ...job({ status: 'blocked', attempt_id: 1 }),
    config: {
      ...DEFAULT_JOB_CONFIG,
      command: 'true',
    },
    requirement: NO_REQUIREMENT,
    depends_on: [
      { job_id: 1, name: 'prepare', status: 'completed' },
      { job_id: 2, name: 'fetch', status: 'running' },
    ],
  },
  waits: [],
  headline: 'waits for 1 of 2 dependencies: fetch (running)',
  next: 'it is queued when they have ended',
  hint: { kind: 'run', workflow: 3 },
  attempts: [
    {
      attempt: attempt(),
      walk: [
        { rule: 'canceled', applies: false, because: 'it was not canceled' },
        { rule: 'retry', applies: true, because: 'retry 1 of 3 after 1s' },
      ],
    },
  ],
};

/** As `explain` shows it. */
export function shownExplanation(
  explained: ExplainedJob,
  given: Partial<ShownExplanation> = {},
): ShownExplanation {
  const hints = explained.hint === null ? [] : [explained.hint];
  return { explained, stderr: [], hints, allRules: false, ...given };
}
