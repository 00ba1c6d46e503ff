import type { JobModel, WorkflowModel } from '../../src/core/workflow-model.ts';
import { type LoadOptions, loadSpec } from '../../src/spec/load-spec.ts';
import { formatProblem, type Problem } from '../../src/spec/problem.ts';

/** The model of a spec that must be right. */
export function modelOf(text: string, options: LoadOptions = {}, fileName = 'flow.yaml'): WorkflowModel {
  const result = loadSpec(text, fileName, options);
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join('\n'));
  return result.model;
}

/** The problems of a spec that must be wrong. */
export function problemsOf(text: string, fileName = 'flow.yaml'): Problem[] {
  const result = loadSpec(text, fileName);
  if (result.ok) throw new Error('the spec was accepted');
  return result.problems;
}

export function messagesOf(text: string, fileName = 'flow.yaml'): string[] {
  return problemsOf(text, fileName).map(formatProblem);
}

export function jobNamed(model: WorkflowModel, name: string): JobModel {
  const job = model.jobs.find((candidate) => candidate.name === name);
  if (!job) throw new Error(`no job ${name}`);
  return job;
}

/** Names of the jobs that `name` waits for. */
export function dependenciesOf(model: WorkflowModel, name: string): string[] {
  const { dependencySet } = jobNamed(model, name);
  if (dependencySet === null) return [];
  return model.dependencySets[dependencySet]!.map((index) => model.jobs[index]!.name);
}
