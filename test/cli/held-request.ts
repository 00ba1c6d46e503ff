import type {
  BanRecord,
  ItemRecord,
  RequestErrors,
  RequestRecord,
  RequestSummary,
  RoundRecord,
  UnitRecord,
} from '../../src/contract/records/request.ts';
import { DEFAULT_ERROR_SETTINGS } from '../../src/core/request/error-settings.ts';
import { NOON } from './records.ts';

const HOLD: NonNullable<RequestSummary['hold']> = {
  code: 'failure_ratio',
  round: 1,
  failed_units: 1,
  total_units: 2,
  failure_ratio: 0.5,
  threshold: 0.2,
  rescue_count: 0,
  max_rescue_attempts: 3,
  text: '1 of 2 units failed (50 %), the threshold is 20 %',
};

export function requestSummary(given: Partial<RequestSummary> = {}): RequestSummary {
  return {
    request_name: 'minbias',
    version: 1,
    status: 'HELD',
    priority: 100,
    executor: 'workers',
    actor: 'ada',
    owner: 'ada',
    access_groups: [],
    work: 'range',
    cursor: '9007199254740993',
    delivered: '1000',
    total: '4000',
    hold: HOLD,
    previous_version_request: null,
    superseded_by_request: null,
    output_state: 'active',
    created_at_ms: NOON - 60_000,
    changed_at_ms: NOON,
    ...given,
  };
}

function run(run_id: number, kind: RoundRecord['runs'][number]['kind']): RoundRecord['runs'][number] {
  return {
    run_id,
    kind,
    parent: run_id === 1 ? null : run_id - 1,
    started_at_ms: NOON - 50_000 + run_id * 10_000,
    finished_at_ms: NOON - 40_000 + run_id * 10_000,
    units: null,
    decision: null,
    bans: [],
  };
}

export function round(given: Partial<RoundRecord> = {}): RoundRecord {
  return {
    number: 1,
    state: 'PARTIAL',
    workflow_id: 3,
    units: { total: 2, done: 1, failed: 1, not_run: 0 },
    runs: [run(1, 'first'), run(2, 'failure'), run(3, 'failure'), run(4, 'stop')],
    decision: {
      kind: 'hold',
      hold: 'failure_ratio',
      failure_ratio: 0.5,
      reason: HOLD.text,
      walk: [{ rule: 'threshold', applies: true, because: HOLD.text }],
    },
    ...given,
  };
}

export function request(given: Partial<RequestRecord> = {}): RequestRecord {
  return {
    ...requestSummary(),
    shared: false,
    cwd: '/home/ada',
    output_dir: '/home/ada/output',
    description: 'minimum bias events',
    sites: null,
    items: null,
    settings: { ...DEFAULT_ERROR_SETTINGS },
    rounds: [round()],
    round_count: 1,
    output_errands: [],
    next: ['errors', 'release', 'restart', 'fail'],
    ...given,
  };
}

export function unit(given: Partial<UnitRecord> = {}): UnitRecord {
  return {
    id: 11,
    number: 1,
    round: 1,
    workflow_id: 3,
    state: 'done',
    first: '9007199254740993',
    last: '9007199254741992',
    size: 1000,
    outputs: ['data/1.root'],
    ...given,
  };
}

export function item(given: Partial<ItemRecord> = {}): ItemRecord {
  return { id: 5, path: 'a.root', group: '2025', state: 'processed', reason: null, unit: 1, ...given };
}

export function requestErrors(given: Partial<RequestErrors> = {}): RequestErrors {
  return {
    request_name: 'minbias',
    status: 'HELD',
    round: 1,
    workflow_id: 3,
    failure_ratio: 0.5,
    rescue_count: 1,
    by_category: { data: 3, transient: 1 },
    by_site: { north: { total: 5, failed: 4 } },
    by_exit_code: { '7': 1, '8021': 3 },
    bad_input_files: ['a.root'],
    groups: [
      {
        fingerprint: 'f1',
        count: 3,
        node: 'unit_000001_proc_01',
        job_id: 8,
        attempt: 4,
        unit: 1,
        category: 'data',
        reason: 'report 8021: data',
        log_tail: 'opening a.root\ncannot read a.root\x1b[2J\n',
      },
    ],
    ...given,
  };
}

export function ban(given: Partial<BanRecord> = {}): BanRecord {
  return {
    id: 2,
    site: 'north',
    request_name: null,
    reason: 'storage is down',
    evidence: { total: 5, failed: 4 },
    actor: 'ada',
    created_at_ms: NOON,
    expires_at_ms: NOON + 3_600_000,
    ...given,
  };
}
