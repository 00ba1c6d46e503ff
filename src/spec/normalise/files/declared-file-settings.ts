import { DEFAULT_FINGERPRINT, type FingerprintMode } from '../../../core/files/file-mark.ts';
import type { FailedOutputs } from '../../../core/model/workflow-model.ts';
import { parseSize } from '../../../core/text/quantity.ts';
import type { SpecPath } from '../../problem.ts';
import type { JobSpec } from '../../schema/job-schema.ts';
import type { JobSettings } from '../job-draft.ts';
import type { SpecContext } from '../spec-context.ts';

interface DeclaredFileKeys {
  fingerprint?: FingerprintMode | undefined;
  fingerprint_max_size?: string | number | undefined;
  keep_failed_outputs?: boolean | 'aside' | undefined;
}

/** How declared files of a job are treated: what the job says, or else its workflow. */
export function declaredFileSettings(
  workflow: DeclaredFileKeys,
  job: DeclaredFileKeys = {},
): Pick<JobSettings, 'fingerprint' | 'failed_outputs'> {
  const by = job.fingerprint ?? workflow.fingerprint ?? DEFAULT_FINGERPRINT.by;
  const most = job.fingerprint_max_size ?? workflow.fingerprint_max_size;
  const max_bytes = most === undefined ? DEFAULT_FINGERPRINT.max_bytes : parseSize(most)!;
  const isDefault = by === DEFAULT_FINGERPRINT.by && max_bytes === DEFAULT_FINGERPRINT.max_bytes;
  return {
    fingerprint: isDefault ? DEFAULT_FINGERPRINT : { by, max_bytes },
    failed_outputs: failedOutputs(job.keep_failed_outputs ?? workflow.keep_failed_outputs ?? true),
  };
}

function failedOutputs(keep: boolean | 'aside'): FailedOutputs {
  if (keep === 'aside') return 'aside';
  return keep ? 'in_place' : 'removed';
}

/** A failure that may be accepted makes its job complete, and its outputs must not be gone by then. */
export function refuseLostOutputs(
  job: JobSpec,
  { failed_outputs }: JobSettings,
  path: SpecPath,
  context: SpecContext,
): void {
  if (failed_outputs === 'in_place') return;
  const refuse = (key: string, what: string) =>
    context.findings.error(
      [...path, key],
      `${what} may accept an attempt whose outputs \`keep_failed_outputs\` has removed or renamed; write keep_failed_outputs: true at this job`,
    );
  if (job.post !== undefined) refuse('post', 'a post script');
  const handler = context.spec.failure_handlers?.find(({ name }) => name === job.failure_handler);
  if (handler?.rules.some(({ verdict }) => verdict === 'accept')) {
    refuse('failure_handler', `the failure handler ${handler.name}`);
  }
}
