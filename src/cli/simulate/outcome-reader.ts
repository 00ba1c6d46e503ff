import type { FailureHandler } from '../../core/failure-rule.ts';
import type { OutcomeReader } from '../../core/simulated-outcome.ts';
import type { JobModel, WorkflowModel } from '../../core/workflow-model.ts';
import { foundPatterns } from '../../spec/pattern.ts';

/** What has to be known of a job to read how its executions end. */
export function outcomeReader(model: WorkflowModel, { config }: JobModel): OutcomeReader {
  const patterns = stderrPatterns(model.failureHandlers.find(({ name }) => name === config.failureHandler));
  return { hasPost: config.post !== null, findPatterns: (text) => foundPatterns(patterns, text) };
}

function stderrPatterns(handler: FailureHandler | undefined): string[] {
  return handler?.rules.flatMap(({ stderr }) => stderr ?? []) ?? [];
}
