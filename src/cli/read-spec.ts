import { readFileSync } from 'node:fs';
import type { SpecSource } from '../core/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import type { RetryPolicy } from '../core/retry-policy.ts';
import { loadSpec } from '../spec/load-spec.ts';
import { formatProblem } from '../spec/problem.ts';
import type { SettingOrigin } from './config/resolve-settings.ts';
import type { SettingKey } from './config/settings.ts';

type Loaded = ReturnType<typeof loadSpec> & {
  /** What it was made from. */
  source: SpecSource;
};
type ValidSpec = Extract<Loaded, { ok: true }>;

/** Reads and checks a spec file; `-` is stdin. */
export function loadSpecFile(path: string, origins: SettingOrigin[]): Loaded {
  const text = readText(path);
  const name = path === '-' ? '<stdin>' : path;
  const defaults = retryDefaults(origins);
  return {
    ...loadSpec(text, name, { retryDefaults: defaults }),
    source: { text, name, retry_defaults: defaults },
  };
}

/** As `loadSpecFile`, with every problem as one error. */
export function readSpec(path: string, origins: SettingOrigin[]): ValidSpec {
  const loaded = loadSpecFile(path, origins);
  if (loaded.ok) return loaded;
  throw new HoldfastError('INVALID_SPEC', { problems: loaded.problems.map(formatProblem).join('\n') });
}

function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EISDIR'
          ? 'is a directory, not a spec'
          : message;
    throw new HoldfastError('INVALID_ARGUMENT', { argument: path, problem }, error);
  }
}

const RETRY_KEYS: Partial<Record<SettingKey, keyof RetryPolicy>> = {
  default_max_retries_failure: 'max_retries_failure',
  default_max_retries_preemption: 'max_retries_preemption',
  default_retry_delay_ms: 'initial_retry_delay_ms',
};

/** Only what somebody configured: the spec layer has the defaults. */
export function retryDefaults(origins: SettingOrigin[]): Partial<RetryPolicy> {
  const defaults: Record<string, unknown> = {};
  for (const { key, value, origin } of origins) {
    const name = RETRY_KEYS[key];
    if (name !== undefined && origin !== 'default') defaults[name] = value;
  }
  return defaults;
}
