import type { LogQuery } from '../../contract/records/log-access.ts';
import type { RequestErrors } from '../../contract/records/request.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { PostResult } from '../../core/job/post-result.ts';
import { logTail } from '../../core/request/post-record.ts';
import {
  countSiteOutcomes,
  type FinalFailureRow,
  listFinalFailures,
} from '../../store/rows/requests/error-rows.ts';
import { countRescues, findRound, listRoundRuns, newestRound } from '../../store/rows/requests/round-rows.ts';
import { countUnits } from '../../store/rows/requests/unit-rows.ts';
import type { Script } from '../../store/script.ts';
import { type FoundLog, findLogOf, readFound } from '../read/logs.ts';
import { needRequest } from './needed-request.ts';

const AT_ONCE = 500;
const MOST_GROUPS = 20;
/** The log of one attempt of each group is shown from so many bytes before its end. */
const TAIL_BYTES = 16 * 1024;
const MOST_BAD_FILES = 10_000;

/** Errors with the log excerpts that post steps kept, and where the others are found, in the order of the groups. */
export interface FoundErrors {
  errors: RequestErrors;
  logs: FoundLog[];
}

/** Failures of a round: of its current run or, while that has none, of the run before. Changes nothing. */
export function* readErrors(ref: string, query: { round?: number }): Script<FoundErrors> {
  const request = yield* needRequest(ref);
  const round =
    query.round === undefined ? yield* newestRound(request.id) : yield* findRound(request.id, query.round);
  if (round === undefined && query.round !== undefined) {
    throw new HoldfastError('ROUND_NOT_FOUND', { name: ref, round: query.round });
  }
  const errors: RequestErrors = {
    request_name: request.name,
    status: request.state,
    round: round?.number ?? null,
    workflow_id: round?.workflow_id ?? null,
    failure_ratio: 0,
    rescue_count: 0,
    by_category: {},
    by_site: {},
    by_exit_code: {},
    bad_input_files: [],
    groups: [],
  };
  if (round === undefined) return { errors, logs: [] };
  const units = yield* countUnits(round.workflow_id);
  errors.failure_ratio = units.total === 0 ? 0 : units.failed / units.total;
  errors.rescue_count = yield* countRescues(round.workflow_id);
  for (const { site, total, failed } of yield* countSiteOutcomes(round.workflow_id)) {
    errors.by_site[site] = { total, failed };
  }
  const summary = new FailureSummary();
  const runs = yield* listRoundRuns(round.workflow_id);
  for (const { run_id } of runs.reverse()) {
    yield* addFailures(summary, round.workflow_id, run_id);
    summary.run = run_id;
    if (summary.count > 0) break;
  }
  const result = summary.result();
  const logs: FoundLog[] = [];
  for (const group of result.groups)
    logs.push(yield* findLogOf(round.workflow_id, tailOf(group, summary.run)));
  return { errors: { ...errors, ...result }, logs };
}

type Group = RequestErrors['groups'][number];

function tailOf({ node, attempt }: Group, run: number): LogQuery {
  return { job: node, run_id: run, attempt_id: attempt, stream: 'stderr', offset: -TAIL_BYTES };
}

/** Adds the ends of the logs. A log that is gone leaves its excerpt empty. */
export async function withLogTails({ errors, logs }: FoundErrors): Promise<RequestErrors> {
  const groups = errors.groups.map(async (group, index) => {
    // The post step has kept it, and its log may be gone.
    if (group.log_tail !== '') return group;
    const log = await readFound(logs[index]!, tailOf(group, 0)).catch(() => null);
    return { ...group, log_tail: log === null ? '' : logTail(Buffer.from(log.data).toString()) };
  });
  return { ...errors, groups: await Promise.all(groups) };
}

function* addFailures(summary: FailureSummary, workflowId: number, runId: number): Script<void> {
  for (let after = 0; ; ) {
    const rows = yield* listFinalFailures(workflowId, runId, after, AT_ONCE);
    for (const row of rows) summary.add(row);
    if (rows.length < AT_ONCE) return;
    after = rows.at(-1)!.token;
  }
}

class FailureSummary {
  count = 0;
  /** The run whose failures these are. */
  run = 0;
  readonly #categories = new Map<string, number>();
  readonly #codes = new Map<string, number>();
  readonly #bad = new Set<string>();
  readonly #groups = new Map<string, Group>();

  add(row: FinalFailureRow): void {
    this.count += 1;
    const post = row.post === null ? null : (JSON.parse(row.post) as PostResult);
    increase(this.#categories, row.category ?? 'none');
    increase(this.#codes, String(post?.report_code ?? row.match_code ?? 'none'));
    for (const path of post?.bad_inputs ?? []) if (this.#bad.size < MOST_BAD_FILES) this.#bad.add(path);
    const key = row.fingerprint ?? row.cause ?? 'none';
    const known = this.#groups.get(key);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    this.#groups.set(key, {
      fingerprint: key,
      count: 1,
      node: row.name,
      job_id: row.job_id,
      attempt: row.attempt_id,
      unit: row.unit,
      category: row.category,
      reason: post?.reason ?? row.reason,
      log_tail: post?.log_tail ?? '',
    });
  }

  result(): Pick<RequestErrors, 'by_category' | 'by_exit_code' | 'bad_input_files' | 'groups'> {
    return {
      by_category: Object.fromEntries(this.#categories),
      by_exit_code: Object.fromEntries(this.#codes),
      bad_input_files: [...this.#bad].sort(),
      groups: [...this.#groups.values()].sort((a, b) => b.count - a.count).slice(0, MOST_GROUPS),
    };
  }
}

function increase(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
