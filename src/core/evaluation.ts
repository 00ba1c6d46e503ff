/** The places in a spec where users write JavaScript. */
export type CodeKey = 'if' | 'fail_if' | 'run_js' | 'goto_js';

/** `run_js` and `goto_js` are function bodies (or one expression), the others expressions. */
export type CodeKind = 'body' | 'expression';

export function codeKind(key: CodeKey): CodeKind {
  return key === 'run_js' || key === 'goto_js' ? 'body' : 'expression';
}

/** What the code sees, each as a global. All of it is plain data. */
export interface EvaluationInputs {
  step: { id: string; tags: string[]; group: string | null };
  /** Executions of the step in its scope and run, this one included, lost ones not. */
  attempt: number;
  /** Re-attempts and jumps taken so far in the scope. */
  loop: number;
  /** null after a success. */
  error: EvaluationError | null;
  foreach: ForeachInput | null;
  /** Outputs of the completed steps of this and the enclosing scopes. */
  outputs: Record<string, unknown>;
  /** For each of these steps all outputs of this run, oldest first. */
  outputs_history: Record<string, unknown[]>;
  /** What the step itself put out; null unless it has just succeeded. */
  output: unknown;
  pr: unknown;
  files: unknown;
  env: Record<string, string>;
}

export interface EvaluationError {
  message: string;
  /** The match code. */
  code: number | null;
  exitCode: number | null;
  /** The last 8 KB of each. */
  stdout: string;
  stderr: string;
}

export interface ForeachInput {
  /** The item if it is a text or a number, else its index. */
  key: string | number;
  index: number;
  total: number;
  /** The scope, such as `list[0]/parts[2]`. */
  path: string;
}

/** What became of a piece of code; stored with the decision it was made for. */
export interface Evaluation {
  key: CodeKey;
  result: { ok: true; value: unknown } | { ok: false; problem: string };
  ms: number;
  /** The small ones of the inputs, without secrets. */
  inputs: Record<string, unknown>;
}

export function evaluationOf(evaluations: readonly Evaluation[], key: CodeKey): Evaluation['result'] | null {
  return evaluations.find((evaluation) => evaluation.key === key)?.result ?? null;
}

/** Why `fail_if` makes a failure of an attempt, or null. A check that cannot be made has not been passed. */
export function failIfProblem(evaluations: readonly Evaluation[]): string | null {
  const said = evaluationOf(evaluations, 'fail_if');
  if (said === null) return null;
  if (!said.ok) return `its fail_if cannot be evaluated: ${said.problem}`;
  return said.value ? 'its fail_if is true' : null;
}
