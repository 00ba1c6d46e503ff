import type { Findings } from '../findings.ts';
import { encloses, scopePattern } from '../normalise/dependencies/scope-path.ts';
import type { JobDraft } from '../normalise/job-draft.ts';
import type { Layout } from '../normalise/merge-routes.ts';
import { didYouMean } from '../suggest.ts';
import { checkTemplate, type VariableRead } from '../template/check-template.ts';

/** For each template the steps whose output it reads; null where they are not known beforehand. */
export type TemplateReads = ReadonlyMap<number, string[] | null>;

const FOREACH_KEYS = ['key', 'index', 'total', 'path'];

/** Templates must parse, and read only variables that exist and outputs that there are where they run. */
export function checkStepTemplates(
  steps: readonly JobDraft[],
  variables: Record<string, unknown>,
  layout: Layout,
  joinedBy: (step: number) => readonly number[],
  findings: Findings,
): TemplateReads {
  const reads = new Map<number, string[] | null>();
  const sight = new Sight(steps, variables, layout, joinedBy);
  for (const [step, draft] of steps.entries()) {
    if (!draft.template) continue;
    const path = [...draft.path, 'exec'];
    const check = checkTemplate(draft.command);
    if (!check.ok) {
      findings.error(path, `template: ${check.message}`, check.inside ? { inside: check.inside } : {});
      continue;
    }
    for (const { path: read, inside } of check.variables) {
      const problem = sight.problem(read, step);
      if (problem) findings.error(path, `template: ${problem}`, { inside });
    }
    reads.set(step, outputsRead(check.variables));
  }
  return reads;
}

/** Steps whose outputs, or whose items that failed, are read. */
function outputsRead(variables: readonly VariableRead[]): string[] | null {
  const names = new Set<string>();
  for (const { path } of variables) {
    const [root, name] = path;
    if (root !== 'outputs' && root !== 'failures') continue;
    if (name === undefined) return null;
    names.add(name);
  }
  return [...names];
}

/** What a template can see from where its step runs. */
class Sight {
  readonly #steps: readonly JobDraft[];
  readonly #ids: ReadonlyMap<string, number>;
  readonly #variables: Record<string, unknown>;
  readonly #layout: Layout;
  readonly #joinedBy: (step: number) => readonly number[];

  constructor(
    steps: readonly JobDraft[],
    variables: Record<string, unknown>,
    layout: Layout,
    joinedBy: (step: number) => readonly number[],
  ) {
    this.#steps = steps;
    this.#ids = new Map(steps.map(({ name }, index) => [name, index]));
    this.#variables = variables;
    this.#layout = layout;
    this.#joinedBy = joinedBy;
  }

  problem([root, name]: readonly string[], step: number): string | undefined {
    switch (root) {
      case 'variables':
        if (name === undefined || Object.hasOwn(this.#variables, name)) return undefined;
        return `\`variables\` have no "${name}"${didYouMean(name, Object.keys(this.#variables))}`;
      case 'outputs':
        return name === undefined ? undefined : this.#outputProblem(name, step);
      case 'foreach':
        return this.#foreachProblem(name, step);
      case 'failures':
        return this.#failuresProblem(name, step);
      default:
        return `there is no "${root}"; a template sees \`outputs\` and \`variables\`, in a forEach item \`foreach\`, in a reduce step \`failures\``;
    }
  }

  #outputProblem(name: string, step: number): string | undefined {
    const source = this.#ids.get(name);
    if (source === undefined) return `there is no step "${name}"${didYouMean(name, this.#ids.keys())}`;
    const { graph, paths, onCall } = this.#layout;
    // What runs when it is called may find any output.
    if (onCall.has(step)) return undefined;
    if (!graph.isAncestor(source, step)) {
      return `it reads the output of "${name}", but does not depend on it; add it to depends_on`;
    }
    if (encloses(paths[source]!, paths[step]!) || this.#joinedBy(step).includes(source)) return undefined;
    const where = `"${name}" has an output per item of ${scopePattern(paths[source]!, this.#steps)}`;
    return this.#steps[step]!.reduces
      ? `${where}, and this step does not join it; add it to depends_on`
      : `${where}, and this step runs outside of them; read it in the step with \`fanout: reduce\` that joins it`;
  }

  #foreachProblem(name: string | undefined, step: number): string | undefined {
    const { paths, onCall } = this.#layout;
    if (paths[step]!.length === 0 && !onCall.has(step)) {
      return '`foreach` is the item a step runs for, and this step runs outside of forEach items';
    }
    if (name === undefined || FOREACH_KEYS.includes(name)) return undefined;
    return `\`foreach\` has ${FOREACH_KEYS.join(', ')}, but no "${name}"${didYouMean(name, FOREACH_KEYS)}`;
  }

  #failuresProblem(name: string | undefined, step: number): string | undefined {
    const joined = this.#joinedBy(step).map((each) => this.#steps[each]!.name);
    if (joined.length === 0) {
      return '`failures` are the items that a step with `fanout: reduce` joins and that did not succeed; this step joins none';
    }
    if (name === undefined || joined.includes(name)) return undefined;
    return `this step joins ${joined.join(', ')}, but not "${name}"${didYouMean(name, joined)}`;
  }
}
