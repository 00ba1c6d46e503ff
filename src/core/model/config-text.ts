import { DEFAULT_JOB_CONFIG, type JobConfig } from './workflow-model.ts';

const DEFAULT_JSON = new Map(
  Object.entries(DEFAULT_JOB_CONFIG).map(([key, value]) => [key, JSON.stringify(value)]),
);

export function encodeConfig(config: JobConfig): string {
  return JSON.stringify(storedConfig(config));
}

/** Only what differs from the defaults: 100,000 jobs mostly say the same. */
export function storedConfig(config: JobConfig): StoredConfig {
  const different: Record<string, unknown> = {};
  for (const key in config) {
    const value = config[key as keyof JobConfig];
    // Most values are the default itself, which need not be written out to be compared.
    if (value === DEFAULT_JOB_CONFIG[key as keyof typeof DEFAULT_JOB_CONFIG]) continue;
    if (typeof value !== 'object' || value === null || !isDefault(key, value)) different[key] = value;
  }
  return different as StoredConfig;
}

/** With every key that a job has: to add one to a copy takes V8 five times as long as the copy. */
const EVERY_KEY: JobConfig = { command: '', ...DEFAULT_JOB_CONFIG };

export function decodeConfig(text: string): JobConfig {
  return wholeConfig(parseConfig(text));
}

/** With the defaults. */
export function wholeConfig(stored: StoredConfig): JobConfig {
  return { ...EVERY_KEY, ...stored };
}

/** Jobs of a sweep share most of their values: the last one of a field need not be written out again. */
const lastValues = new Map<string, { value: object; isDefault: boolean }>();

function isDefault(key: string, value: object): boolean {
  const last = lastValues.get(key);
  if (last?.value === value) return last.isDefault;
  const isSame = JSON.stringify(value) === DEFAULT_JSON.get(key);
  lastValues.set(key, { value, isDefault: isSame });
  return isSame;
}

/** What is stored of a configuration: the fields that are not the default. */
export type StoredConfig = Partial<JobConfig> & Pick<JobConfig, 'command'>;

/** Takes less time than `decodeConfig`, which copies all defaults. */
export function parseConfig(text: string): StoredConfig {
  return JSON.parse(text) as StoredConfig;
}

export function fieldOf<K extends keyof JobConfig>(config: StoredConfig, name: K): JobConfig[K] {
  return (name in config ? config : DEFAULT_JOB_CONFIG)[name as 'shell'] as JobConfig[K];
}
