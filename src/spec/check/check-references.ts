import type { Findings } from '../findings.ts';
import type { JobDraft } from '../normalise/job-draft.ts';
import type { SpecPath } from '../problem.ts';
import type { WorkflowSpec } from '../schema/workflow-schema.ts';
import { didYouMean } from '../suggest.ts';

type Section = 'failure_handlers' | 'slurm_schedulers';

/** Whether the names that jobs give to handlers and schedulers exist. */
export class ReferenceCheck {
  readonly #known: Record<Section, Set<string>>;
  readonly #findings: Findings;

  constructor(spec: WorkflowSpec, findings: Findings) {
    this.#findings = findings;
    this.#known = {
      failure_handlers: new Set(spec.failure_handlers?.map(({ name }) => name)),
      slurm_schedulers: new Set(spec.slurm_schedulers?.map(({ name }) => name)),
    };
  }

  check({ path, failureHandler, settings }: JobDraft): void {
    if (failureHandler !== null) {
      this.#expect('failure_handlers', failureHandler, [...path, 'failure_handler']);
    }
    if (settings.scheduler !== null) {
      this.#expect('slurm_schedulers', settings.scheduler, [...path, 'scheduler']);
    }
  }

  #expect(section: Section, name: string, path: SpecPath): void {
    const known = this.#known[section];
    if (!known.has(name)) {
      this.#findings.expansionError(path, `\`${section}\` have no "${name}"${didYouMean(name, known)}`);
    }
  }
}
