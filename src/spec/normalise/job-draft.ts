import type { FingerprintPolicy } from '../../core/files/file-mark.ts';
import type { Shell } from '../../core/job/shell.ts';
import type { StdioConfig } from '../../core/job/stdio.ts';
import type { FailedOutputs, OutputMode, PostCommand, StepOptions } from '../../core/model/workflow-model.ts';
import type { RetryPolicy } from '../../core/policy/retry-policy.ts';
import type { ReattemptPolicy } from '../../core/policy/routes.ts';
import type { SpecPath } from '../problem.ts';
import type { Binding } from '../sweep/placeholders.ts';

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

/** One job after expansion and substitution, its references still by name. */
export interface JobDraft {
  name: string;
  /** Where the job was written; all expansions of a sweep share it. */
  path: SpecPath;
  binding: Binding;
  command: string;
  template: boolean;
  cwd: string | null;
  env: Record<string, string>;
  labels: string[];
  failureHandler: string | null;
  post: PostCommand | null;
  onFail: RouteDraft | 'none' | null;
  onSuccess: RouteDraft | null;
  /** It joins the items of a forEach (`fanout: reduce`). */
  reduces: boolean;
  dependsOn: Reference[];
  dependsOnRegexes: Reference[];
  inputFiles: Reference[];
  outputFiles: Reference[];
  inputUserData: Reference[];
  outputUserData: Reference[];
  /** Index into the requirement table. */
  requirement: number;
  settings: JobSettings;
}

/** The references of a key that holds one text or a list of them. */
export function references(value: string | string[] | undefined, path: SpecPath): Reference[] {
  if (value === undefined) return [];
  if (typeof value === 'string') return [{ text: value, path }];
  return value.map((text, item) => ({ text, path, item }));
}
