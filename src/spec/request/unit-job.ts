import type { RetryPolicy } from '../../core/policy/retry-policy.ts';
import type { ErrorSettings } from '../../core/request/error-settings.ts';
import type { UnitJob } from '../../core/request/request-model.ts';
import { unitRetry } from '../../core/request/unit-retry.ts';
import { parseDuration } from '../../core/text/quantity.ts';
import type { Findings } from '../findings.ts';
import { RequirementTable } from '../normalise/requirement-table.ts';
import { layeredRetry, writtenRetry } from '../normalise/resolve-retry.ts';
import type { SpecPath } from '../problem.ts';
import type { RequestSpec, UnitJobSpec } from '../schema/request-schema.ts';

/** Bare durations are seconds, as in jobs. */
const BARE_UNIT_MS = 1000;
const LONGEST_COOLOFF_MS = 24 * 3_600_000;

/** What the three jobs of a unit share. */
export interface UnitJobDefaults {
  shell: RequestSpec['shell'];
  env: RequestSpec['env'];
  settings: Pick<ErrorSettings, 'cooloff_base_sec'>;
}

export function unitJob(
  spec: UnitJobSpec,
  path: SpecPath,
  retries: number,
  { shell, env, settings }: UnitJobDefaults,
  findings: Findings,
): UnitJob {
  const written: Partial<RetryPolicy> =
    typeof spec.retry === 'number'
      ? { max_retries_failure: spec.retry }
      : writtenRetry(spec.retry, [...path, 'retry'], findings);
  const defaults: Partial<RetryPolicy> = {
    max_retries_failure: retries,
    max_retry_delay_ms: LONGEST_COOLOFF_MS,
    backoff_multiplier: 2,
  };
  const cooloff = written.initial_retry_delay_ms === undefined;
  const table = new RequirementTable([], {}, BARE_UNIT_MS, findings);
  const timeoutMs = spec.timeout === undefined ? null : (parseDuration(spec.timeout, BARE_UNIT_MS) ?? null);
  const { index, runtimeMs } = table.resolve(
    spec.resource_requirements,
    { resources: {}, labels: spec.labels ?? [], timeoutMs },
    path,
  );
  return {
    command: spec.command,
    shell: shell ?? 'bash',
    requirement: table.requirements[index]!,
    retry: unitRetry({ retry: layeredRetry(written, defaults), cooloff }, settings),
    cooloff,
    env: texts({ ...env, ...spec.env }),
    cwd: spec.cwd ?? null,
    timeout_ms: runtimeMs,
  };
}

function texts(env: NonNullable<RequestSpec['env']>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]));
}
