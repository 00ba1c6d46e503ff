import type { PoolChoices } from '../dag/pool-settings.ts';
import type { Shell } from '../job/shell.ts';
import type { Requirement } from '../model/workflow-model.ts';
import type { NotifyEntry } from '../notify/notify-model.ts';
import type { FailureRule } from '../policy/failure-rule.ts';
import type { RetryPolicy } from '../policy/retry-policy.ts';
import type { ErrorSettings } from './error-settings.ts';

/** A rule of a rulebook: a rule of a failure handler that also sees the report of a job and its items. */
export interface RulebookRule extends FailureRule {
  /** Ranges of the `exit_code` of the report, both ends included. */
  reportCodes: [number, number][];
  /** A pattern (RE2) to be found in the `error_message` of the report. */
  message: string | null;
  /** A pattern (RE2) to be found in the reason why a batch system held the job. */
  holds: string | null;
  /** Which items of the job the failure excludes: those the report names, all of them, or none. */
  badItems: BadItems;
}

export type BadItems = 'reported' | 'all' | 'none';

export interface Rulebook {
  /** Where it was read from, for messages. */
  name: string;
  rules: RulebookRule[];
}

/** A command of a unit, with what it needs and how often it is tried again. */
export interface UnitJob {
  /** With placeholders such as `{first}`, which are bound to shell variables when a round is planned. */
  command: string;
  shell: Shell;
  requirement: Requirement;
  retry: RetryPolicy;
  /** The first wait of `retry` follows `cooloff_base_sec`; false where the spec gives one. */
  cooloff: boolean;
  env: Record<string, string>;
  cwd: string | null;
  timeout_ms: number | null;
}

/** Numbers that only move forward. They exceed what a JavaScript number holds exactly. */
export interface RangeWork {
  kind: 'range';
  total: bigint;
  first: bigint;
  per_job: number;
}

/** Items, each processed once or excluded. */
export interface InventoryWork {
  kind: 'inventory';
  per_job: number;
}

/** One item of an inventory as it is handed in. */
export interface NewItem {
  path: string;
  /** Items of one group share units where there are enough of them; null: without a group. */
  group: string | null;
}

/** How many units a round has: the first is small, the others have a number of units or a measured length. */
export interface RoundSize {
  first_units: number;
  /** null: sized by `hours`. */
  units: number | null;
  /** Processing time of one round, measured by the rounds before; null: sized by `units`. */
  hours: number | null;
}

/** How the attempts of a unit are classified. */
export type RequestPost = { kind: 'builtin' } | { kind: 'command'; command: string; timeout_ms: number };

export const CLEANUP_POLICIES = ['keep_until_replaced', 'immediate_cleanup'] as const;

export type CleanupPolicy = (typeof CLEANUP_POLICIES)[number];

export const EXECUTORS = ['workers', 'htcondor'] as const;

export type Executor = (typeof EXECUTORS)[number];

/** A validated, normalised `kind: request` spec. The items of an inventory are kept apart. */
export interface RequestModel {
  name: string;
  description: string | null;
  priority: number;
  work: RangeWork | InventoryWork;
  jobs_per_unit: number;
  round: RoundSize;
  /** Sites that may run its jobs; null: every site that has workers. */
  sites: string[] | null;
  /** Who may see and change it besides its owner; absent: no group. */
  access_groups?: string[];
  process: UnitJob;
  merge: UnitJob | null;
  cleanup: UnitJob | null;
  /** Path of a unit's output, with placeholders; null: outputs are not declared. */
  outputs: string | null;
  post: RequestPost;
  rulebook: Rulebook | null;
  /** What the spec sets; the rest comes from the configuration. */
  errors: Partial<ErrorSettings>;
  cleanup_policy: CleanupPolicy;
  /** Commands that register and invalidate outputs elsewhere. */
  hooks: { output_registered: string | null; output_invalidated: string | null };
  /** Absent: the spec names nobody. */
  notify?: NotifyEntry[];
  executor: Executor;
  /** Of the pool that runs its rounds, with the executor `htcondor` and for `htcondor export`. */
  htcondor: PoolChoices;
}

/** Commands of a unit may use these; `{items}` and `{inputs}` are lists. */
export const PLACEHOLDERS = [
  'first',
  'last',
  'count',
  'items',
  'inputs',
  'output',
  'unit',
  'round',
  'request',
  'version',
] as const;

export type UnitPlaceholder = (typeof PLACEHOLDERS)[number];
