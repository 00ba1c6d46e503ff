import { HoldfastError } from '../../core/errors.ts';
import { isPostgresUrl } from './address-settings.ts';
import type { ConfigFile } from './config-file.ts';
import { SETTING_KEYS, SETTINGS, type SettingKey, type Settings } from './settings.ts';
import { tracesOfEnvironment } from './trace-settings.ts';

export interface SettingSources {
  /** Values of flags by key; a key without a value was not given. */
  flags: Partial<Record<SettingKey, string>>;
  env: Readonly<Record<string, string | undefined>>;
  /** Strongest first. */
  files: readonly ConfigFile[];
}

/** Where a value came from, for `config show`. */
export interface SettingOrigin {
  key: SettingKey;
  value: Settings[SettingKey];
  origin: 'flag' | 'environment' | 'file' | 'default';
  /** The flag, the variable or `file:line`; null for a default. */
  source: string | null;
}

export interface ResolvedSettings {
  settings: Settings;
  origins: SettingOrigin[];
}

/** Flags win over the environment, the environment over the files, a file over the next one. */
export function resolveSettings(sources: SettingSources): ResolvedSettings {
  const problems: string[] = [];
  const origins = SETTING_KEYS.map((key): SettingOrigin => {
    const found = find(key, sources);
    if (found === undefined) return { key, value: SETTINGS[key].default(), origin: 'default', source: null };
    const parsed = SETTINGS[key].parse(found.raw);
    if ('value' in parsed) return { key, value: parsed.value, origin: found.origin, source: found.source };
    // A mistyped secret is still one.
    const given = 'mask' in SETTINGS[key] ? '' : `, not ${JSON.stringify(found.raw) ?? String(found.raw)}`;
    // A flag is named after its key.
    const subject = found.origin === 'flag' ? '' : `${key} `;
    problems.push(`${found.source}: ${subject}${parsed.problem}${given}`);
    return { key, value: SETTINGS[key].default(), origin: 'default', source: null };
  });
  if (problems.length > 0) throw new HoldfastError('INVALID_CONFIG', { problems: problems.join('\n') });
  const settings = Object.fromEntries(origins.map(({ key, value }) => [key, value])) as Settings;
  return { settings, origins };
}

interface Found {
  raw: unknown;
  origin: 'flag' | 'environment' | 'file';
  source: string;
}

function find(key: SettingKey, { flags, env, files }: SettingSources): Found | undefined {
  const flag = flags[key];
  if (flag !== undefined) return { raw: flag, origin: 'flag', source: `--${key.replaceAll('_', '-')}` };

  const variable = `HOLDFAST_${key.toUpperCase()}`;
  if (env[variable] && !isGivenToJobs(key, env)) {
    return { raw: env[variable], origin: 'environment', source: variable };
  }
  if (key === 'color' && env.NO_COLOR) return { raw: 'never', origin: 'environment', source: 'NO_COLOR' };
  // Others use this name too, and for other databases.
  if (key === 'database_url' && isPostgresUrl(env.DATABASE_URL ?? '')) {
    return { raw: env.DATABASE_URL, origin: 'environment', source: 'DATABASE_URL' };
  }

  const traces = key === 'traces' ? tracesOfEnvironment(env) : undefined;
  if (traces !== undefined) return { ...traces, origin: 'environment' };

  const file = files.find((each) => each[key] !== undefined)?.[key];
  return file && { raw: file.raw, origin: 'file', source: file.place };
}

/**
 * A job's own environment has HOLDFAST_OUTPUT_DIR; a `holdfast run` inside a job that took it for
 * configuration would write its logs over those of the run it belongs to.
 */
function isGivenToJobs(key: SettingKey, env: SettingSources['env']): boolean {
  return key === 'output_dir' && env.HOLDFAST_ATTEMPT_TOKEN !== undefined;
}
