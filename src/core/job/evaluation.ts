import type { JobStatus } from './job-status.ts';

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
  /** Outputs of the completed steps of this and the enclosing scopes; of the steps that a reduce step joins, lists. */
  outputs: Record<string, unknown>;
  /** Of a reduce step: per joined step, the items that did not succeed. */
  failures: Record<string, ItemFailure[]>;
  /** The workflow's variables. */
  variables: Record<string, unknown>;
  /** All outputs of this run, oldest first, for each step of these scopes, the step itself included. */
  outputs_history: Record<string, unknown[]>;
  /** What the step itself put out; null unless it has just succeeded. */
  output: unknown;
  pr: unknown;
  files: unknown;
  env: Record<string, string>;
}

export interface EvaluationError {
  /** The last line that the program printed; where it printed none or was stopped by a limit, the outcome in words. */
  message: string;
  /** The match code. */
  code: number | null;
  exitCode: number | null;
  /** The last 8 KB of each. */
  stdout: string;
  stderr: string;
}

/** One item of a joined step that did not succeed. */
export interface ItemFailure {
  key: string | number;
  index: number;
  status: JobStatus;
  error: string;
}

export interface ForeachInput {
  /** The item if it is a text or a number, else its index. */
  key: string | number;
  index: number;
  total: number;
  /** The scope, such as `list[0]/parts[2]`. */
  path: string;
}

/** The result of a piece of code; stored with the decision it was made for. */
export interface Evaluation {
  /** `stderr`: patterns of failure rules, which are here only if they took too long. */
  key: CodeKey | 'stderr';
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
