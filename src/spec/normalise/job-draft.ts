import type { FingerprintPolicy } from '../../core/files/file-mark.ts';
import type { Shell } from '../../core/job/shell.ts';
import type { StdioConfig } from '../../core/job/stdio.ts';
import type { FailedOutputs, OutputMode, PostCommand, StepOptions } from '../../core/model/workflow-model.ts';
import type { RetryPolicy } from '../../core/policy/retry-policy.ts';
import type { ReattemptPolicy } from '../../core/policy/routes.ts';
import type { SpecPath } from '../problem.ts';
import type { JobSpec } from '../schema/job-schema.ts';
import type { StepSpec } from '../schema/step-schema.ts';

/** A text that refers to something, and where it was written. */
export interface Reference {
  text: string;
  path: SpecPath;
  /** Its position, if it stands in a list at `path`. Lists of thousands are common, paths of errors are not. */
  item?: number;
}

export function pathOf({ path, item }: Reference): SpecPath {
  return item === undefined ? path : [...path, item];
}

/** What all expansions of one written job share. */
export interface JobSettings {
  retry: RetryPolicy;
  timeout_ms: number | null;
  deadline_ms: number | null;
  scheduling_timeout_ms: number | null;
  isolate: boolean;
  ports: string[];
  shell: Shell;
  limit_resources: boolean;
  end_signal: string;
  grace_ms: number | null;
  stdio: StdioConfig;
  sample_ms: number | null;
  fingerprint: FingerprintPolicy;
  failed_outputs: FailedOutputs;
  output: OutputMode | null;
  tags: string[];
  group: string | null;
  scheduler: string | null;
  step: StepOptions | null;
  condition: string | null;
  fail_if: string | null;
  continue_on_failure: boolean;
  fail_fast: string | null;
  for_each: boolean;
  priority: number;
  cancelOnBlockingJobFailure: boolean;
}

/** What one `on_fail` or `on_success` says. A key that is null was not written, so that a default can stand in. */
export interface RouteDraft {
  path: SpecPath;
  reattempt: ReattemptPolicy | null;
  run: Reference[] | null;
  runJs: string | null;
  goto: Reference | null;
  gotoJs: string | null;
}

/** What a job refers to by name, path or pattern. */
interface DraftReferences {
  dependsOn: readonly Reference[];
  dependsOnRegexes: readonly Reference[];
  inputFiles: readonly Reference[];
  outputFiles: readonly Reference[];
  inputUserData: readonly Reference[];
  outputUserData: readonly Reference[];
}

/** What all expansions of one written job have in common where no parameter is in it. */
export interface DraftBasis {
  /** Where the job was written; all expansions of a sweep share it. */
  path: SpecPath;
  written: JobSpec | StepSpec;
  template: boolean;
  cwd: string | null;
  env: Record<string, string>;
  labels: readonly string[];
  failureHandler: string | null;
  post: PostCommand | null;
  onFail: RouteDraft | 'none' | null;
  onSuccess: RouteDraft | null;
  /** It joins the items of a forEach (`fanout: reduce`). */
  reduces: boolean;
  /** Index into the requirement table. */
  requirement: number;
  settings: JobSettings;
}

/**
 * One job after expansion and substitution, its references still by name. A million of them fit into memory because
 * a draft has only what differs between the expansions of a sweep, and refers to the rest.
 */
export class JobDraft implements DraftBasis, DraftReferences {
  readonly name: string;
  command: string;
  dependsOn: readonly Reference[];
  dependsOnRegexes: readonly Reference[];
  inputFiles: readonly Reference[];
  outputFiles: readonly Reference[];
  inputUserData: readonly Reference[];
  outputUserData: readonly Reference[];
  #basis: DraftBasis;

  constructor(own: DraftReferences & { name: string; command: string }, basis: DraftBasis) {
    this.name = own.name;
    this.command = own.command;
    this.dependsOn = own.dependsOn;
    this.dependsOnRegexes = own.dependsOnRegexes;
    this.inputFiles = own.inputFiles;
    this.outputFiles = own.outputFiles;
    this.inputUserData = own.inputUserData;
    this.outputUserData = own.outputUserData;
    this.#basis = basis;
  }

  get path(): SpecPath {
    return this.#basis.path;
  }

  get written(): JobSpec | StepSpec {
    return this.#basis.written;
  }

  get template(): boolean {
    return this.#basis.template;
  }

  get cwd(): string | null {
    return this.#basis.cwd;
  }

  get env(): Record<string, string> {
    return this.#basis.env;
  }

  get labels(): readonly string[] {
    return this.#basis.labels;
  }

  get failureHandler(): string | null {
    return this.#basis.failureHandler;
  }

  get post(): PostCommand | null {
    return this.#basis.post;
  }

  set post(post: PostCommand | null) {
    this.#basis = { ...this.#basis, post };
  }

  get onFail(): RouteDraft | 'none' | null {
    return this.#basis.onFail;
  }

  get onSuccess(): RouteDraft | null {
    return this.#basis.onSuccess;
  }

  get reduces(): boolean {
    return this.#basis.reduces;
  }

  get requirement(): number {
    return this.#basis.requirement;
  }

  get settings(): JobSettings {
    return this.#basis.settings;
  }
}

/** Of a draft that refers to nothing: one list for all of them. */
export const NO_REFERENCES: readonly Reference[] = [];

/** The references of a key that holds one text or a list of them. */
export function references(value: string | string[] | undefined, path: SpecPath): Reference[] {
  if (value === undefined) return [];
  if (typeof value === 'string') return [{ text: value, path }];
  return value.map((text, item) => ({ text, path, item }));
}
