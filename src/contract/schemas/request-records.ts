import { z } from 'zod';
import { OUTPUT_EVENTS } from '../../core/request/output-hook.ts';
import { EXECUTORS } from '../../core/request/request-model.ts';
import {
  ITEM_STATES,
  OUTPUT_STATES,
  REQUEST_STATES,
  ROUND_STATES,
  UNIT_STATES,
} from '../../core/request/request-states.ts';
import { GROUPS, id, MAY_CHANGE, millis, OWNER } from './scalars.ts';

/** A whole number of up to 64 bits. JSON numbers are not exact beyond 2^53. */
const longNumber = z.string().regex(/^\d+$/).describe('A whole number, as text: it may exceed 2^53.');

export const requestState = z.enum(REQUEST_STATES).meta({ id: 'RequestState' });
const roundState = z.enum(ROUND_STATES).meta({ id: 'RoundState' });
const unitState = z.enum(UNIT_STATES).meta({ id: 'UnitState' });
const itemState = z.enum(ITEM_STATES).meta({ id: 'ItemState' });

export const HOLD_CODES = ['failure_ratio', 'rescues_exhausted', 'no_sites', 'planning'] as const;

export const holdRecord = z
  .object({
    code: z.enum(HOLD_CODES),
    /** null: the request was held before a round was planned. */
    round: z.int().nullable(),
    failed_units: z.int(),
    total_units: z.int(),
    failure_ratio: z.number(),
    threshold: z.number(),
    rescue_count: z.int(),
    max_rescue_attempts: z.int(),
    text: z.string(),
  })
  .meta({ id: 'Hold' });

export const unitCounts = z.object({ total: z.int(), done: z.int(), failed: z.int(), not_run: z.int() });

const roundStep = z.object({
  rule: z.enum(['success', 'threshold', 'rescue', 'exhausted']),
  applies: z.boolean(),
  because: z.string(),
});

export const roundDecision = z
  .object({
    kind: z.enum(['close', 'rescue', 'hold']),
    hold: z.enum(['failure_ratio', 'rescues_exhausted']).nullable(),
    failure_ratio: z.number(),
    reason: z.string(),
    walk: z.array(roundStep).describe('Every rule that was checked, in order; the last one decided.'),
  })
  .meta({ id: 'RoundDecision' });

const roundRun = z.object({
  run_id: id,
  /** `failure`: a rescue after failures. `stop`: it continues a stopped run. */
  kind: z.enum(['first', 'failure', 'stop', 'reset']),
  /** The run before it; null for the first. */
  parent: id.nullable(),
  started_at_ms: millis.nullable(),
  finished_at_ms: millis.nullable(),
  /** Units at its end; null: nothing was decided about it, because it runs or was stopped. */
  units: unitCounts.nullable(),
  /** What was decided at its end. */
  decision: roundDecision.nullable(),
  /** Sites that were banned at its end. */
  bans: z.array(
    z.object({
      site: z.string(),
      reason: z.string(),
      for_all: z.boolean().describe('For all work, not only for the request.'),
    }),
  ),
});

export const roundRecord = z
  .object({
    number: z.int(),
    state: roundState,
    workflow_id: id,
    units: unitCounts,
    runs: z.array(roundRun),
    /** What was decided when its last run ended; null: none has ended. */
    decision: roundDecision.nullable(),
  })
  .meta({ id: 'Round' });

export const unitRecord = z
  .object({
    id,
    number: z.int(),
    round: z.int(),
    workflow_id: id,
    state: unitState,
    /** Numbers of a range; null for an inventory. */
    first: longNumber.nullable(),
    last: longNumber.nullable(),
    /** How many numbers or items it has. */
    size: z.int(),
    outputs: z.array(z.string()),
  })
  .meta({ id: 'Unit' });

export const itemRecord = z
  .object({
    id,
    path: z.string(),
    group: z.string().nullable(),
    state: itemState,
    /** Why it was excluded or attempted. */
    reason: z.string().nullable(),
    /** The unit that had it last; null: none has. */
    unit: z.int().nullable(),
  })
  .meta({ id: 'Item' });

/** The next thing to do, as an action that fits the state. */
const nextAction = z.enum(['release', 'fail', 'restart', 'errors', 'resume', 'stop', 'pause', 'run']);

const requestFields = {
  request_name: z.string(),
  version: z.int(),
  status: requestState,
  priority: z.int(),
  executor: z.enum(EXECUTORS),
  actor: z.string(),
  owner: z.string().describe(OWNER),
  access_groups: z.array(z.string()).describe(GROUPS),
  may_change: z.boolean().exactOptional().describe(MAY_CHANGE),
  /** A range of numbers, or an inventory of items. */
  work: z.enum(['range', 'inventory']),
  /** The next number of a range; null for an inventory. */
  cursor: longNumber.nullable(),
  delivered: longNumber,
  total: longNumber,
  hold: holdRecord.nullable(),
  previous_version_request: z.string().nullable(),
  superseded_by_request: z.string().nullable(),
  output_state: z.enum(OUTPUT_STATES),
  created_at_ms: millis,
  changed_at_ms: millis,
};

/** A request in a list. */
export const requestSummary = z.object(requestFields).meta({ id: 'RequestSummary' });

/** Work about outputs that has not ended: the manifest of an invalidation, and hooks. */
const outputErrand = z
  .object({
    id,
    /** Of the request; an older one may still have some to do. */
    version: z.int(),
    event: z.enum(OUTPUT_EVENTS),
    workflow_id: id,
    run_id: id,
    /** How often it was begun. */
    tries: z.int(),
    /** The next try; in the past: as soon as a worker is free. */
    due_at_ms: millis,
    /** null: no worker is at it. */
    started_at_ms: millis.nullable(),
    worker_id: id.nullable(),
    timeout_ms: millis,
    /** How the last try failed; null: none has. */
    problem: z.string().nullable(),
  })
  .meta({ id: 'OutputErrand' });

export const requestRecord = z
  .object({
    ...requestFields,
    shared: z.boolean(),
    cwd: z.string(),
    output_dir: z.string(),
    description: z.string().nullable(),
    sites: z.array(z.string()).nullable(),
    /** How many items are in each state; null for a range. */
    items: z.object({ fresh: z.int(), attempted: z.int(), processed: z.int(), excluded: z.int() }).nullable(),
    /** Settings in force, releases included. */
    settings: z.record(z.string(), z.union([z.number(), z.string()])),
    /** The newest rounds, at most 100; `rounds` lists all. */
    rounds: z.array(roundRecord),
    round_count: z.int(),
    output_errands: z.array(outputErrand),
    /** Actions that the state allows; the first is what helps most. */
    next: z.array(nextAction),
  })
  .meta({ id: 'Request' });

export const createdRequest = requestRecord
  .extend({ notes: z.array(z.string()).describe('Keys of the spec that were accepted and have no effect.') })
  .meta({ id: 'CreatedRequest' });

/** What an operator's action did. */
export const requestChange = z
  .object({
    request_name: z.string(),
    status: requestState,
    previous_status: requestState,
    message: z.string(),
  })
  .meta({ id: 'RequestChange' });

export const restartedRequest = requestChange
  .extend({ new_request: z.string(), new_version: z.int() })
  .meta({ id: 'RestartedRequest' });

const failureCounts = z.record(z.string(), z.int());

export const requestErrors = z
  .object({
    request_name: z.string(),
    status: requestState,
    /** The round and its workflow; null: no round has been planned. */
    round: z.int().nullable(),
    workflow_id: id.nullable(),
    failure_ratio: z.number(),
    rescue_count: z.int(),
    by_category: failureCounts,
    by_site: z.record(z.string(), z.object({ total: z.int(), failed: z.int() })),
    by_exit_code: failureCounts,
    bad_input_files: z.array(z.string()),
    groups: z
      .array(
        z.object({
          fingerprint: z.string(),
          count: z.int(),
          /** One of the jobs, and its attempt. */
          node: z.string(),
          job_id: id,
          attempt: z.int(),
          unit: z.int().nullable(),
          category: z.string().nullable(),
          reason: z.string().nullable(),
          log_tail: z.string(),
        }),
      )
      .describe('Failures that look alike, largest group first; at most 20.'),
  })
  .meta({ id: 'RequestErrors' });

export const banRecord = z
  .object({
    id,
    site: z.string(),
    /** null: the ban holds for all work. */
    request_name: z.string().nullable(),
    reason: z.string(),
    evidence: z.record(z.string(), z.unknown()).nullable(),
    actor: z.string(),
    created_at_ms: millis,
    /** null: until it is removed. */
    expires_at_ms: millis.nullable(),
  })
  .meta({ id: 'SiteBan' });

export const siteRecord = z
  .object({
    name: z.string(),
    /** Workers that take jobs now. */
    workers: z.int(),
    attempts: z
      .object({ total: z.int(), failed: z.int(), infrastructure: z.int() })
      .describe(
        'Attempts that ended there, of the newest 10,000 of all sites: how many, how many failed, and how many of those with the category infrastructure. Lost, stopped and canceled ones are not counted.',
      ),
    bans: z.array(banRecord),
  })
  .meta({ id: 'Site' });

export const removedBans = z.object({ removed: z.int() }).meta({ id: 'RemovedBans' });
