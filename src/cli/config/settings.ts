import { availableParallelism, totalmem } from 'node:os';
import type { PartitionOffer } from '../../core/allocation/partition.ts';
import {
  ATTRIBUTE_NAME,
  DEFAULT_HOLD_TIMEOUT_MS,
  DEFAULT_SITE_ATTRIBUTE,
  SHORTEST_HOLD_MS,
} from '../../core/dag/pool-settings.ts';
import type { ConfiguredTarget, SmtpSettings, TraceSettings } from '../../core/notify/notify-model.ts';
import { DEFAULT_ERROR_SETTINGS } from '../../core/request/error-settings.ts';
import { MAX_ACTIVE_REQUESTS } from '../../core/request/request-states.ts';
import { formatDuration, formatSize, parseDuration, parseSize } from '../../core/text/quantity.ts';
import { LONGEST_LEASE_MS, SERVICE_LEASE_MS, SHORTEST_LEASE_MS } from '../../core/worker/lease.ts';
import { DEFAULT_SUBMISSION_LIMITS, type RoleLimits } from '../../server/submission/submission-limits.ts';
import { type AccessGroups, parseAccessGroups, showAccessGroups } from './access-groups.ts';
import { maskDatabaseUrl, maskToken, parseDatabaseUrl, parseServer, parseToken } from './address-settings.ts';
import { type AgentCommands, parseAgentCommands } from './agent-commands.ts';
import { maskNotifyTargets, parseNotifyTargets, showNotifyTargets } from './notify-targets.ts';
import { parseSlurmProfiles, showSlurmProfiles } from './slurm-profiles.ts';
import { maskSmtp, parseHosts, parseSmtp, showSmtp } from './smtp-settings.ts';
import { parseSubmissionLimits, showSubmissionLimits } from './submission-limits.ts';
import { maskTraces, parseTraces, showTraces } from './trace-settings.ts';

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
    default: (): number | null => null,
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
  lease: {
    about: 'how long a worker of a server keeps its jobs without contact, e.g. 10m',
    parse: parseLease,
    default: () => SERVICE_LEASE_MS,
    show: formatDuration,
  } satisfies SettingKind<number>,
  reconnect_timeout: {
    about: 'how long commands that follow a workflow wait for a server that does not answer, e.g. 10m',
    parse: parseTime,
    default: () => 600_000,
    show: formatDuration,
  } satisfies SettingKind<number>,
  default_max_retries_failure: count('retries after a failure, where the spec says nothing', 0),
  default_max_retries_preemption: count('retries after a lost worker, where the spec says nothing', 100),
  default_retry_delay_ms: count('wait before the first retry, where the spec says nothing', 1000),
  error_hold_threshold: share(
    'share of failed units of a round from which on a request is held',
    DEFAULT_ERROR_SETTINGS.error_hold_threshold,
  ),
  error_max_rescue_attempts: count(
    'rescues of a round before a request is held',
    DEFAULT_ERROR_SETTINGS.error_max_rescue_attempts,
  ),
  site_ban_duration_days: positiveNumber(
    'how many days a request avoids a site that failed',
    DEFAULT_ERROR_SETTINGS.site_ban_duration_days,
  ),
  site_ban_promotion_threshold: atLeastOne(
    'requests that must have banned a site before all work avoids it',
    DEFAULT_ERROR_SETTINGS.site_ban_promotion_threshold,
  ),
  site_ban_min_failures: atLeastOne(
    'failures at a site before it is banned',
    DEFAULT_ERROR_SETTINGS.site_ban_min_failures,
  ),
  site_ban_failure_ratio: share(
    'share of failed attempts above which a site is banned',
    DEFAULT_ERROR_SETTINGS.site_ban_failure_ratio,
  ),
  unless_exit_code: atLeastOne(
    'exit code of a post step of a request that stops retries',
    DEFAULT_ERROR_SETTINGS.unless_exit_code,
  ),
  abort_dag_code: atLeastOne(
    'exit code of a post step of a request that ends the round',
    DEFAULT_ERROR_SETTINGS.abort_dag_code,
  ),
  cooloff_base_sec: count(
    'seconds before the first retry of a job of a request; doubles with each further one',
    DEFAULT_ERROR_SETTINGS.cooloff_base_sec,
  ),
  hold_timeout: {
    about: 'how long a job of DAGMan may be held before it is removed, e.g. 10m',
    parse: parseHold,
    default: () => DEFAULT_HOLD_TIMEOUT_MS,
    show: formatDuration,
  } satisfies SettingKind<number>,
  site_attribute: {
    about: 'attribute of machines of HTCondor that names their site',
    parse: (raw) =>
      typeof raw === 'string' && ATTRIBUTE_NAME.test(raw)
        ? { value: raw }
        : { problem: 'must be the name of an attribute of machines, such as GLIDEIN_Site' },
    default: () => DEFAULT_SITE_ATTRIBUTE,
    show: String,
  } satisfies SettingKind<string>,
  max_active_requests: atLeastOne('requests that `serve` works on at the same time', MAX_ACTIVE_REQUESTS),
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
  worker_url: {
    about: 'address at which workers in allocations reach this server; none means where it listens',
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
  worker_token_file: {
    about: 'file that has the token of a worker, for --with-worker',
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
  submission_limits: {
    about: 'what a workflow that is submitted to `serve` may ask for, by role',
    parse: parseSubmissionLimits,
    default: () => DEFAULT_SUBMISSION_LIMITS,
    show: showSubmissionLimits,
  } satisfies SettingKind<RoleLimits>,
  access_groups: {
    about: 'groups of people at `serve --auth token`: names of tokens by group',
    parse: parseAccessGroups,
    default: (): AccessGroups => ({}),
    show: showAccessGroups,
  } satisfies SettingKind<AccessGroups>,
  connections_per_address: atLeastOne('connections to `serve` from one address', 1_000),
  streams_per_token: atLeastOne('event streams and followed logs of one token that `serve` keeps open', 100),
  slurm_dir: {
    about: 'directory for the files of allocations, which all nodes see; none means the state directory',
    parse: (raw) => (raw === null ? { value: null } : words(raw)),
    default: (): string | null => null,
    show: (value) => value ?? 'none',
  } satisfies SettingKind<string | null>,
  slurm_profiles: {
    about: 'partitions for `slurm generate`, by name; none means that `sinfo` is asked',
    parse: parseSlurmProfiles,
    default: (): PartitionOffer[] => [],
    show: showSlurmProfiles,
  } satisfies SettingKind<PartitionOffer[]>,
  notify: {
    about: 'who is notified of failures, decisions to make, holds and ends, by name',
    parse: parseNotifyTargets,
    default: (): ConfiguredTarget[] => [],
    show: showNotifyTargets,
    mask: maskNotifyTargets,
  } satisfies SettingKind<ConfiguredTarget[]>,
  smtp: {
    about: 'mail server for notifications',
    parse: parseSmtp,
    default: (): SmtpSettings | null => null,
    show: showSmtp,
    mask: maskSmtp,
  } satisfies SettingKind<SmtpSettings | null>,
  notify_hosts: {
    about: 'hosts and mail domains that `notify` of specs may name at `serve`; * is any',
    parse: parseHosts,
    default: (): string[] => [],
    show: (value) => value.join(', ') || 'none',
  } satisfies SettingKind<string[]>,
  traces: {
    about:
      'collector of OpenTelemetry that spans of runs and attempts are sent to; also OTEL_EXPORTER_OTLP_ENDPOINT',
    parse: parseTraces,
    default: (): TraceSettings | null => null,
    show: showTraces,
    mask: maskTraces,
  } satisfies SettingKind<TraceSettings | null>,
  output: choice('form of what is printed', ['table', 'json', 'quiet', 'csv'], 'table'),
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

function share(about: string, fallback: number): SettingKind<number> {
  return {
    about,
    parse: (raw) => {
      const value = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw;
      return typeof value === 'number' && value >= 0 && value <= 1
        ? { value }
        : { problem: 'must be a number from 0 to 1' };
    },
    default: () => fallback,
    show: String,
  };
}

function positiveNumber(about: string, fallback: number): SettingKind<number> {
  return { about, parse: (raw) => positive(raw), default: () => fallback, show: String };
}

function atLeastOne(about: string, fallback: number): SettingKind<number> {
  return { about, parse: (raw) => integer(raw, 1), default: () => fallback, show: String };
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

function parseLease(raw: unknown): { value: number } | { problem: string } {
  const time = parseTime(raw);
  if ('problem' in time || (time.value >= SHORTEST_LEASE_MS && time.value <= LONGEST_LEASE_MS)) return time;
  const [least, most] = [SHORTEST_LEASE_MS, LONGEST_LEASE_MS].map(formatDuration);
  return { problem: `must be a duration from ${least} to ${most}` };
}

function parseHold(raw: unknown): { value: number } | { problem: string } {
  const time = parseTime(raw);
  if ('problem' in time || time.value >= SHORTEST_HOLD_MS) return time;
  return { problem: 'must be a duration of a second or more, such as 10m' };
}

/** What this process may use: a container's limit where it is below the machine's memory. */
function machineMemory(): number {
  const limit = process.constrainedMemory() ?? 0;
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
