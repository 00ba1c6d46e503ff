import type { JobModel, WorkflowModel } from '../../src/core/model/workflow-model.ts';
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

/** The warnings of a spec that must be right. */
export function warningsOf(text: string): string[] {
  const result = loadSpec(text, 'flow.yaml');
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join('\n'));
  return result.warnings.map(formatProblem);
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
  return namesOf(model, model.dependencySets[dependencySet]!.members);
}

/** The whole dependency set of `name`, by names; the job must have one. */
export function dependencySetOf(model: WorkflowModel, name: string) {
  const { members, joined, anyOf } = model.dependencySets[jobNamed(model, name).dependencySet!]!;
  return {
    members: namesOf(model, members),
    joined: namesOf(model, joined),
    anyOf: anyOf.map((group) => namesOf(model, group)),
  };
}

function namesOf(model: WorkflowModel, jobs: readonly number[]): string[] {
  return jobs.map((index) => model.jobs[index]!.name);
}
