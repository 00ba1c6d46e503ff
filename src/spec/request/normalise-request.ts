import { type PoolChoices, SHORTEST_HOLD_MS } from '../../core/dag/pool-settings.ts';
import { DEFAULT_ERROR_SETTINGS, type ErrorSettings } from '../../core/request/error-settings.ts';
import {
  type InventoryWork,
  PLACEHOLDERS,
  type RangeWork,
  type RequestModel,
  type RequestPost,
  type RoundSize,
} from '../../core/request/request-model.ts';
import { parseDuration } from '../../core/text/quantity.ts';
import type { Findings } from '../findings.ts';
import { DEFAULT_POST_TIMEOUT_MS } from '../normalise/spec-context.ts';
import { normaliseNotify } from '../notify/normalise-notify.ts';
import { patternError } from '../pattern.ts';
import type { RequestSpec } from '../schema/request-schema.ts';
import { MAX_EXPANSIONS } from '../sweep/parameter-values.ts';
import { PlaceholderCheck, type WorkKind } from './check-placeholders.ts';
import { unitJob } from './unit-job.ts';

const FIRST_UNITS = 10;
const UNITS = 40;
const RETRIES = { process: 3, merge: 2, cleanup: 2 };
const MOST_NUMBER = 2n ** 63n;

/** The spec with its variables replaced (`value`) and as it was read (`written`), to find places and absent keys. */
export interface RequestSources {
  value: object;
  written: unknown;
}

/** The model of a spec whose shape is right, without its rulebook. It means something only if no error was found. */
export function normaliseRequest(
  spec: RequestSpec,
  { value, written }: RequestSources,
  findings: Findings,
): RequestModel {
  const kind = workKind(value, findings);
  const errors = errorSettings(spec.errors ?? {}, findings);
  new PlaceholderCheck(spec, kind, written, findings).check(spec);
  for (const name of Object.keys(spec.variables ?? {})) {
    if ((PLACEHOLDERS as readonly string[]).includes(name)) {
      findings.error(['variables', name], `{${name}} is a placeholder, so a variable cannot have this name`, {
        atKey: true,
      });
    }
  }
  const defaults = { shell: spec.shell, env: spec.env, settings: { ...DEFAULT_ERROR_SETTINGS, ...errors } };
  const job = (part: 'process' | 'merge' | 'cleanup') => {
    const found = spec[part];
    return found === undefined ? null : unitJob(found, [part], RETRIES[part], defaults, findings);
  };
  const model: RequestModel = {
    name: spec.name,
    description: spec.description ?? null,
    priority: spec.priority ?? 0,
    work: workOf(spec, kind, findings),
    jobs_per_unit: spec.jobs_per_unit ?? 1,
    round: roundSize(spec.round ?? {}, findings),
    sites: spec.sites === undefined ? null : [...new Set(spec.sites)],
    ...(spec.access_groups !== undefined && { access_groups: spec.access_groups }),
    process: job('process')!,
    merge: job('merge'),
    cleanup: job('cleanup'),
    outputs: spec.outputs ?? null,
    post: requestPost(spec.post),
    rulebook: null,
    errors,
    cleanup_policy: spec.cleanup_policy ?? 'keep_until_replaced',
    hooks: {
      output_registered: spec.hooks?.output_registered ?? null,
      output_invalidated: spec.hooks?.output_invalidated ?? null,
    },
    ...(spec.notify !== undefined && { notify: normaliseNotify(spec.notify, findings) }),
    executor: spec.executor ?? 'workers',
    htcondor: poolChoices(spec.htcondor ?? {}, findings),
  };
  checkRoundJobs(model, findings);
  return model;
}

/** Which of the two is written, be it right or wrong; null if that is not known. */
function workKind(value: object, findings: Findings): WorkKind | null {
  const work = (value as { work?: unknown }).work;
  if (typeof work !== 'object' || work === null || Array.isArray(work)) return null;
  const [hasRange, hasItems] = [Object.hasOwn(work, 'range'), Object.hasOwn(work, 'items')];
  if (hasRange && hasItems) {
    findings.error(['work', 'items'], 'work is either `range` or `items`; keep one of them', { atKey: true });
    return null;
  }
  if (!hasRange && !hasItems) {
    findings.error(['work'], 'add `range: {total: N, per_job: N}` or `items: PATH`');
    return null;
  }
  if (hasItems) return 'inventory';
  for (const key of ['per_job', 'group_by']) {
    if (!Object.hasOwn(work, key)) continue;
    const instead = key === 'per_job' ? '; write it into `range`' : '';
    findings.error(['work', key], `${key} belongs to \`items\`${instead}`, { atKey: true });
  }
  return 'range';
}

function workOf({ work }: RequestSpec, kind: WorkKind | null, findings: Findings): RangeWork | InventoryWork {
  if (kind === 'inventory') {
    const problem = work.group_by === undefined ? undefined : patternError(work.group_by);
    if (problem !== undefined) findings.error(['work', 'group_by'], problem);
    return { kind: 'inventory', per_job: work.per_job ?? 1 };
  }
  const { total: writtenTotal, first: writtenFirst, per_job } = work.range ?? { total: 1, per_job: 1 };
  const [total, first] = [BigInt(writtenTotal), BigInt(writtenFirst ?? 1)];
  if (total < 1n) findings.error(['work', 'range', 'total'], 'must be at least 1');
  else if (first + total >= MOST_NUMBER) {
    findings.error(
      ['work', 'range'],
      'goes beyond the largest number of 64 bits, which is 9223372036854775807',
    );
  }
  return { kind: 'range', total, first, per_job };
}

function roundSize(
  { first_units, units, hours }: NonNullable<RequestSpec['round']>,
  findings: Findings,
): RoundSize {
  if (units !== undefined && hours !== undefined) {
    findings.error(['round', 'hours'], '`units` and `hours` both size a round; keep one of them', {
      atKey: true,
    });
  }
  return {
    first_units: first_units ?? FIRST_UNITS,
    units: hours === undefined ? (units ?? UNITS) : null,
    hours: hours ?? null,
  };
}

function errorSettings(
  errors: NonNullable<RequestSpec['errors']>,
  findings: Findings,
): Partial<ErrorSettings> {
  const { unless_exit_code: permanent, abort_dag_code: abort } = { ...DEFAULT_ERROR_SETTINGS, ...errors };
  if (permanent === abort) {
    const key = errors.abort_dag_code === undefined ? 'unless_exit_code' : 'abort_dag_code';
    findings.error(
      ['errors', key],
      `unless_exit_code and abort_dag_code are both ${abort}; they must differ`,
    );
  }
  return Object.fromEntries(Object.entries(errors).filter(([, value]) => value !== undefined));
}

function poolChoices(
  { hold_timeout, site_attribute }: NonNullable<RequestSpec['htcondor']>,
  findings: Findings,
): PoolChoices {
  const milliseconds = hold_timeout === undefined ? undefined : parseDuration(hold_timeout, 1000);
  if (milliseconds !== undefined && milliseconds < SHORTEST_HOLD_MS) {
    findings.error(['htcondor', 'hold_timeout'], 'must be a second or more');
  }
  return { hold_timeout_ms: milliseconds ?? null, site_attribute: site_attribute ?? null };
}

function requestPost(spec: RequestSpec['post']): RequestPost {
  if (spec === undefined || spec === 'holdfast') return { kind: 'builtin' };
  const { command, timeout } = typeof spec === 'string' ? { command: spec, timeout: undefined } : spec;
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout, 1000);
  return { kind: 'command', command, timeout_ms: timeoutMs ?? DEFAULT_POST_TIMEOUT_MS };
}

function checkRoundJobs(
  { work, round, jobs_per_unit, merge, cleanup }: RequestModel,
  findings: Findings,
): void {
  if (!Number.isSafeInteger(work.per_job * jobs_per_unit)) {
    const path = work.kind === 'range' ? ['work', 'range', 'per_job'] : ['work', 'per_job'];
    findings.error(path, `makes units of more than ${Number.MAX_SAFE_INTEGER}; give each job fewer`);
  }
  const perUnit = jobs_per_unit + (merge === null ? 0 : 1) + (cleanup === null ? 0 : 1);
  for (const key of ['first_units', 'units'] as const) {
    const jobs = (round[key] ?? 0) * perUnit;
    if (jobs <= MAX_EXPANSIONS) continue;
    findings.error(
      ['round', key],
      `makes a round of ${jobs} jobs, more than ${MAX_EXPANSIONS}; plan fewer units, or fewer jobs in a unit`,
    );
  }
}
