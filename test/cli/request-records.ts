import type { RequestRecord, RoundRecord } from '../../src/contract/records/request.ts';
import { NOON } from './records.ts';

/** The first run of a round that has begun. */
export function round(changes: Partial<RoundRecord> = {}): RoundRecord {
  return {
    number: 1,
    state: 'RUNNING',
    workflow_id: 1,
    units: { total: 10, done: 3, failed: 0, not_run: 0 },
    runs: [
      {
        run_id: 1,
        kind: 'first',
        parent: null,
        started_at_ms: NOON - 60_000,
        finished_at_ms: null,
        units: null,
        decision: null,
        bans: [],
      },
    ],
    decision: null,
    ...changes,
  };
}

/** A range of 100 numbers whose first round runs. */
export function request(changes: Partial<RequestRecord> = {}): RequestRecord {
  const rounds = changes.rounds ?? [round()];
  return {
    request_name: 'numbers',
    version: 1,
    status: 'ACTIVE',
    priority: 0,
    executor: 'workers',
    actor: 'ada',
    owner: 'ada',
    access_groups: [],
    work: 'range',
    cursor: '101',
    delivered: '0',
    total: '100',
    hold: null,
    previous_version_request: null,
    superseded_by_request: null,
    output_state: 'active',
    created_at_ms: NOON - 90_000,
    changed_at_ms: NOON - 60_000,
    shared: false,
    cwd: '/',
    output_dir: 'output',
    description: null,
    sites: null,
    items: null,
    settings: { error_hold_threshold: 0.2, error_max_rescue_attempts: 3 },
    rounds,
    round_count: rounds.length,
    output_errands: [],
    next: ['stop'],
    ...changes,
  };
}
