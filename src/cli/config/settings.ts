import { availableParallelism, totalmem } from 'node:os';
import { formatDuration, formatSize, parseDuration, parseSize } from '../../core/quantity.ts';
import { maskDatabaseUrl, maskToken, parseDatabaseUrl, parseServer, parseToken } from './address-settings.ts';
import { type AgentCommands, parseAgentCommands } from './agent-commands.ts';

interface SettingKind<T> {
  about: string;
  /** The value, or a sentence that says what would be one. Takes what flags, environment and YAML give. */
  parse: (raw: unknown) => { value: T } | { problem: string };
  default: () => T;
  show: (value: T) => string;
  /** For values that nobody is to read: what `config show` has in their place. */
  mask?: (value: T) => T;
}

/** Every configuration key: in config.yaml by this name, in the environment as HOLDFAST_ and upper case. */
export const SETTINGS = {
  output_dir: text('directory for logs and outputs of jobs', 'output'),
  max_parallel: {
    about: 'most jobs at the same time; none means as many as fit',
    parse: (raw) => (raw === null || raw === 'none' ? { value: null } : integer(raw, 1)),
    default: () => null,
    show: (value) => (value === null ? 'none' : String(value)),
  } satisfies SettingKind<number | null>,
  cpus: {
    about: 'CPUs offered to jobs',
    parse: (raw) => positive(raw),
    default: availableParallelism,
    show: String,
  } satisfies SettingKind<number>,
  memory: {
    about: 'memory offered to jobs, e.g. 16g',
    parse: parseMemory,
    default: machineMemory,
    show: formatSize,
  } satisfies SettingKind<number>,
  gpus: count('GPUs offered to jobs', 0),
  keep_work: choice('whose work directories are kept', ['none', 'failed', 'all'], 'failed'),
  grace: {
    about: 'time between SIGTERM and SIGKILL, e.g. 10s',
    parse: parseTime,
    default: () => 10_000,
    show: formatDuration,
  } satisfies SettingKind<number>,
  default_max_retries_failure: count('retries after a failure, where the spec says nothing', 0),
  default_max_retries_preemption: count('retries after a lost worker, where the spec says nothing', 100),
  default_retry_delay_ms: count('wait before the first retry, where the spec says nothing', 1000),
  ai_agent: text('agent that --ai-recovery starts', 'claude'),
  ai_agents: {
    about: 'commands of other agents, by name',
    parse: parseAgentCommands,
    default: (): AgentCommands => ({}),
    show: (value) => Object.keys(value).join(', ') || 'none',
  } satisfies SettingKind<AgentCommands>,
  ai_timeout: {
    about: 'how long an agent may take, e.g. 10m',
    parse: parseTime,
    default: () => 600_000,
    show: formatDuration,
  } satisfies SettingKind<number>,
  server: {
    about: 'address of a server, e.g. http://127.0.0.1:7600; none means this directory',
    parse: parseServer,
    default: (): string | null => null,
    show: (value) => value ?? 'none',
  } satisfies SettingKind<string | null>,
  token: {
    about: 'token for the server; never shown',
    parse: parseToken,
    default: (): string | null => null,
    show: (value) => maskToken(value) ?? 'none',
    mask: maskToken,
  } satisfies SettingKind<string | null>,
  token_file: {
    about: 'file that has the token for the server',
    parse: (raw) => (raw === null ? { value: null } : words(raw)),
    default: (): string | null => null,
    show: (value) => value ?? 'none',
  } satisfies SettingKind<string | null>,
  database_url: {
    about: 'PostgreSQL instead of SQLite in the state directory; also DATABASE_URL',
    parse: parseDatabaseUrl,
    default: (): string | null => null,
    show: (value) => (value === null ? 'none' : maskDatabaseUrl(value)),
    mask: (value) => (value === null ? null : maskDatabaseUrl(value)),
  } satisfies SettingKind<string | null>,
  output: choice('form of what is printed', ['table', 'json', 'quiet'], 'table'),
  color: choice('colours on the terminal', ['auto', 'always', 'never'], 'auto'),
};

export type SettingKey = keyof typeof SETTINGS;
export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

export type Settings = { [K in SettingKey]: ReturnType<(typeof SETTINGS)[K]['default']> };

function text(about: string, fallback: string): SettingKind<string> {
  return { about, parse: words, default: () => fallback, show: (value) => value };
}

function words(raw: unknown): { value: string } | { problem: string } {
  return typeof raw === 'string' && raw !== ''
    ? { value: raw }
    : { problem: 'must be a text that is not empty' };
}

/** The value as it may be printed. */
export function shownValue(key: SettingKey, value: Settings[SettingKey]): Settings[SettingKey] {
  const kind = SETTINGS[key];
  return 'mask' in kind ? kind.mask(value as never) : value;
}

function count(about: string, fallback: number): SettingKind<number> {
  return { about, parse: (raw) => integer(raw, 0), default: () => fallback, show: String };
}

function choice<const T extends string>(about: string, values: readonly T[], fallback: T): SettingKind<T> {
  return {
    about: `${about}: ${values.join(', ')}`,
    parse: (raw) => {
      const value = values.find((each) => each === raw);
      return value === undefined ? { problem: `must be ${values.join(' or ')}` } : { value };
    },
    default: () => fallback,
    show: (value) => value,
  };
}

function integer(raw: unknown, least: number): { value: number } | { problem: string } {
  const value = numeric(raw);
  return Number.isSafeInteger(value) && value >= least
    ? { value }
    : { problem: `must be a whole number of at least ${least}` };
}

function positive(raw: unknown): { value: number } | { problem: string } {
  const value = numeric(raw);
  return Number.isFinite(value) && value > 0 ? { value } : { problem: 'must be a number above 0' };
}

function numeric(raw: unknown): number {
  if (typeof raw === 'number') return raw;
  return typeof raw === 'string' && /^\d+(\.\d+)?$/.test(raw.trim()) ? Number(raw) : Number.NaN;
}

function parseMemory(raw: unknown): { value: number } | { problem: string } {
  const bytes = typeof raw === 'string' || typeof raw === 'number' ? parseSize(raw) : undefined;
  return bytes ? { value: bytes } : { problem: 'must be a size like 512m or 16g' };
}

function parseTime(raw: unknown): { value: number } | { problem: string } {
  const ms = typeof raw === 'string' || typeof raw === 'number' ? parseDuration(raw, 1000) : undefined;
  return ms === undefined ? { problem: 'must be a duration like 10s or 1m30s' } : { value: ms };
}

/** What this process may use: a container's limit where it is below the machine's memory. */
function machineMemory(): number {
  const limit = process.constrainedMemory() ?? 0;
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
