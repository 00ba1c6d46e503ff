import type { Findings } from '../findings.ts';
import type { DependencyGraph } from '../normalise/dependency-graph.ts';
import type { JobDraft } from '../normalise/job-draft.ts';
import { didYouMean } from '../suggest.ts';
import { checkTemplate, type VariablePath } from '../template/check-template.ts';

/** Templates must parse, and read only variables that exist and outputs of steps that come before. */
export function checkStepTemplates(
  steps: readonly JobDraft[],
  variables: Record<string, unknown>,
  graph: DependencyGraph,
  /** Steps that run when called, so that any output may exist by then. */
  onCall: ReadonlySet<number>,
  findings: Findings,
): void {
  const ids = new Map(steps.map(({ name }, index) => [name, index]));
  for (const [step, draft] of steps.entries()) {
    if (!draft.template) continue;
    const path = [...draft.path, 'exec'];
    const check = checkTemplate(draft.command);
    if (!check.ok) {
      findings.error(path, `template: ${check.message}`, check.inside ? { inside: check.inside } : {});
      continue;
    }
    for (const read of check.variables) {
      const problem = readProblem(read, step, ids, variables, graph, onCall);
      if (problem) findings.error(path, `template: ${problem}`);
    }
  }
}

function readProblem(
  [root, name]: VariablePath,
  step: number,
  ids: ReadonlyMap<string, number>,
  variables: Record<string, unknown>,
  graph: DependencyGraph,
  onCall: ReadonlySet<number>,
): string | undefined {
  if (root === 'variables') {
    if (name === undefined || Object.hasOwn(variables, name)) return undefined;
    return `\`variables\` have no "${name}"${didYouMean(name, Object.keys(variables))}`;
  }
  if (root !== 'outputs') {
    return `there is no "${root}"; a template sees \`outputs\` and \`variables\``;
  }
  if (name === undefined) return undefined;
  const source = ids.get(name);
  if (source === undefined) return `there is no step "${name}"${didYouMean(name, ids.keys())}`;
  if (onCall.has(step) || graph.isAncestor(source, step)) return undefined;
  return `it reads the output of "${name}", but does not depend on it; add it to depends_on`;
}
