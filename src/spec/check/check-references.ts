import type { Findings } from '../findings.ts';
import { type JobDraft, pathOf, references } from '../normalise/job-draft.ts';
import { matchingIndexes, patternError } from '../pattern.ts';
import type { SpecPath } from '../problem.ts';
import type { JobSpec } from '../schema/job-schema.ts';
import type { StepSpec } from '../schema/step-schema.ts';
import type { WorkflowSpec } from '../schema/workflow-schema.ts';
import { didYouMean } from '../suggest.ts';
import { expandSweep, type SharedParameters } from '../sweep/expand-sweep.ts';
import { fillPlaceholders } from '../sweep/placeholders.ts';

const USER_DATA_KEYS = ['input_user_data', 'output_user_data'] as const;
const USER_DATA = /\$\{user_data\.(?:input|output)\.([^}]+)\}/g;

type Section = 'failure_handlers' | 'slurm_schedulers' | 'user_data';

/** Whether the names that jobs give to handlers, schedulers and user data exist. */
export class ReferenceCheck {
  readonly #known: Record<Section, Set<string>>;
  readonly #findings: Findings;

  constructor(spec: WorkflowSpec, shared: SharedParameters, findings: Findings) {
    this.#findings = findings;
    this.#known = {
      failure_handlers: new Set(spec.failure_handlers?.map(({ name }) => name)),
      slurm_schedulers: new Set(spec.slurm_schedulers?.map(({ name }) => name)),
      user_data: userDataNames(spec, shared, findings),
    };
  }

  check(written: JobSpec | StepSpec, draft: JobDraft): void {
    const { path, binding } = draft;
    const fill = (text: string) => fillPlaceholders(text, binding);
    if (written.failure_handler !== undefined) {
      this.#expect('failure_handlers', fill(written.failure_handler), [...path, 'failure_handler']);
    }
    if (!('command' in written)) return;
    if (written.scheduler !== undefined) {
      this.#expect('slurm_schedulers', fill(written.scheduler), [...path, 'scheduler']);
    }
    for (const key of USER_DATA_KEYS) {
      for (const reference of references(written[key], [...path, key])) {
        this.#expect('user_data', fill(reference.text), pathOf(reference));
      }
      const patterns = `${key}_regexes` as const;
      for (const pattern of references(written[patterns], [...path, patterns])) {
        this.#expectMatch(fill(pattern.text), pathOf(pattern));
      }
    }
    if (draft.command.includes('${user_data.')) {
      for (const [, name] of draft.command.matchAll(USER_DATA))
        this.#expect('user_data', name!, [...path, 'command']);
    }
  }

  #expect(section: Section, name: string, path: SpecPath): void {
    const known = this.#known[section];
    if (!known.has(name)) {
      this.#findings.expansionError(path, `\`${section}\` have no "${name}"${didYouMean(name, known)}`);
    }
  }

  #expectMatch(pattern: string, path: SpecPath): void {
    const problem = patternError(pattern);
    if (problem) this.#findings.error(path, problem);
    else if (matchingIndexes(pattern, [...this.#known.user_data]).length === 0) {
      this.#findings.expansionError(path, `"${pattern}" matches no name in \`user_data\``);
    }
  }
}

function userDataNames(spec: WorkflowSpec, shared: SharedParameters, findings: Findings): Set<string> {
  const names = new Set<string>();
  for (const [index, entry] of (spec.user_data ?? []).entries()) {
    for (const binding of expandSweep(entry, ['user_data', index], shared, findings)) {
      names.add(fillPlaceholders(entry.name, binding));
    }
  }
  return names;
}
