import { DEFAULT_POST_CODES } from '../../core/job/post-result.ts';
import type { PostCommand } from '../../core/model/workflow-model.ts';
import type { RetryPolicy } from '../../core/policy/retry-policy.ts';
import { parseDuration } from '../../core/text/quantity.ts';
import type { Findings } from '../findings.ts';
import type { SpecPath } from '../problem.ts';
import type { PostSpec } from '../schema/post-schema.ts';
import type { RetrySpec } from '../schema/retry-schema.ts';
import type { WorkflowSpec } from '../schema/workflow-schema.ts';
import type { ExpansionLimits } from '../sweep/check-expansion.ts';
import { SharedParameters } from '../sweep/expand-sweep.ts';
import type { Binding } from '../sweep/placeholders.ts';
import { userDataPlaceholders } from '../template/user-data-placeholders.ts';
import { FileTable } from './files/file-table.ts';
import { RequirementTable } from './requirement-table.ts';
import { layeredRetry, writtenRetry } from './resolve-retry.ts';
import { TextSubstitution } from './substitute-text.ts';
import { UserDataTable } from './user-data-table.ts';

export const DEFAULT_POST_TIMEOUT_MS = 600_000;

export interface NormaliseOptions {
  /** Stand behind the spec's own `retry_defaults`. */
  retryDefaults?: Partial<RetryPolicy>;
  /** Where the spec has no `order`. */
  order?: 'written' | 'graph';
  /** How large the workflow may become. */
  expansion?: ExpansionLimits;
}

/** What every job of a workflow is expanded with. */
export class SpecContext {
  readonly spec: WorkflowSpec;
  readonly findings: Findings;
  readonly options: NormaliseOptions;
  readonly shared: SharedParameters;
  readonly text: TextSubstitution;
  readonly files: FileTable;
  readonly userData: UserDataTable;
  readonly requirements: RequirementTable;
  readonly env: Record<string, string>;
  readonly #bareUnitMs: number;
  readonly #retryDefaults: Partial<RetryPolicy>;

  constructor(spec: WorkflowSpec, findings: Findings, options: NormaliseOptions) {
    this.spec = spec;
    this.findings = findings;
    this.options = options;
    this.#bareUnitMs = spec.steps ? 1 : 1000;
    this.shared = new SharedParameters(spec.parameters ?? {}, findings);
    this.text = new TextSubstitution(spec.variables ?? {}, findings);
    this.files = new FileTable(spec.files ?? [], this.shared, this.text, findings);
    this.userData = new UserDataTable(spec.user_data ?? [], this.shared, this.text, findings);
    this.requirements = new RequirementTable(
      spec.resource_requirements ?? [],
      spec.limits ?? {},
      this.#bareUnitMs,
      findings,
    );
    this.env = this.environment(spec.env, {}, ['env']);
    this.#retryDefaults = writtenRetry(spec.retry_defaults, ['retry_defaults'], findings);
  }

  /** A bare number is milliseconds in `steps` and seconds in `jobs`. */
  milliseconds(value: string | number | undefined): number | null {
    return value === undefined ? null : (parseDuration(value, this.#bareUnitMs) ?? null);
  }

  retry(spec: RetrySpec | undefined, path: SpecPath): RetryPolicy {
    const own = writtenRetry(spec, [...path, 'retry'], this.findings);
    return layeredRetry(own, this.#retryDefaults, this.options.retryDefaults ?? {});
  }

  /** A command besides the job's own. It is never a template: it gets facts by its environment. */
  script(command: string, binding: Binding, path: SpecPath): string {
    if (!this.spec.steps) {
      const [placeholder] = userDataPlaceholders(command);
      if (placeholder) {
        this.findings.error(path, `${placeholder.written} is only replaced in the command of a job`);
      }
      return this.text.fill(command, binding, path);
    }
    const substitution = /\{\{|\{%|\$\{(?:variables|files|user_data)\.[^}]*\}/.exec(command)?.[0];
    if (substitution) {
      this.findings.error(path, `only \`exec\` is a template, so ${substitution} is not replaced here`);
    }
    return command;
  }

  /** `path` is that of the job. */
  post(spec: PostSpec | undefined, binding: Binding, path: SpecPath): PostCommand | null {
    if (spec === undefined) return null;
    const { command, timeout } = typeof spec === 'string' ? { command: spec, timeout: undefined } : spec;
    return {
      kind: 'command',
      command: this.script(command, binding, [...path, 'post']),
      timeout_ms: this.milliseconds(timeout) ?? DEFAULT_POST_TIMEOUT_MS,
      ...DEFAULT_POST_CODES,
      items: [],
    };
  }

  environment(
    env: Record<string, string | number | boolean> | undefined,
    binding: Binding,
    path: SpecPath,
  ): Record<string, string> {
    const filled: Record<string, string> = {};
    for (const [name, value] of Object.entries(env ?? {})) {
      const at = [...path, name];
      const text = this.text.fill(String(value), binding, at);
      if (this.spec.steps && /\{\{|\{%/.test(text)) {
        this.findings.error(at, 'only `exec` is a template; use `{{ … }}` there, or a plain value here');
      }
      filled[name] = text;
    }
    return filled;
  }
}
