import type { JobModel, WorkflowModel } from '../core/model/workflow-model.ts';
import type { FailureHandler } from '../core/policy/failure-rule.ts';
import { foundPatterns } from '../spec/pattern.ts';
import type { OutcomeReader } from './simulated-outcome.ts';

/** What has to be known of a job to read how its executions end. */
export function outcomeReader(model: WorkflowModel, { config }: JobModel): OutcomeReader {
  const patterns = stderrPatterns(model.failureHandlers.find(({ name }) => name === config.failure_handler));
  return { hasPost: config.post !== null, findPatterns: (text) => foundPatterns(patterns, text) };
}

function stderrPatterns(handler: FailureHandler | undefined): string[] {
  return handler?.rules.flatMap(({ stderr }) => stderr ?? []) ?? [];
}
