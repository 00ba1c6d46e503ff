import { notifySentences } from '../core/notify/describe-target.ts';
import { retryWaits, upTo } from '../core/policy/describe-policy.ts';
import { percent } from '../core/request/decide-round.ts';
import { DEFAULT_ERROR_SETTINGS, type ErrorSettings } from '../core/request/error-settings.ts';
import type { RequestModel, UnitJob } from '../core/request/request-model.ts';
import { unitRetry } from '../core/request/unit-retry.ts';

/** What a request would do if nothing failed, as far as that is known before it runs. */
export interface RequestPlan {
  name: string;
  kind: 'range' | 'inventory';
  /** How many numbers or items there are. 64-bit numbers are texts. */
  total: string;
  /** The numbers of a range, both ends included; null for items. */
  first: string | null;
  last: string | null;
  /** Numbers or items of a full unit. */
  per_unit: string;
  units: number;
  /** null: later rounds are sized by measured time. */
  rounds: number | null;
  /** Units of the first rounds, in order; at most `ROUNDS_LISTED`. */
  round_units: number[];
  /** Without retries. */
  jobs: number;
  /** Jobs of the largest round; null if that is not known. */
  largest_round_jobs: number | null;
  /** What it is and what happens, in sentences. */
  sentences: string[];
}

const ROUNDS_LISTED = 5;

export function describeRequest(
  model: RequestModel,
  /** Of an inventory. */
  itemCount: number | null,
  settings: ErrorSettings = { ...DEFAULT_ERROR_SETTINGS, ...model.errors },
): RequestPlan {
  const facts = planFacts(model, itemCount ?? 0);
  return {
    ...facts,
    sentences: [
      ...workSentences(model, facts),
      ...failureSentences(model, settings),
      ...siteSentences(model, settings),
      ...outputSentences(model),
      ...notifySentences(model.notify),
    ],
  };
}

type PlanFacts = Omit<RequestPlan, 'sentences'>;

function planFacts(model: RequestModel, itemCount: number): PlanFacts {
  const { work, round } = model;
  const total = work.kind === 'range' ? work.total : BigInt(itemCount);
  const perUnit = BigInt(work.per_job) * BigInt(model.jobs_per_unit);
  const units = ceil(total, perUnit);
  const first = BigInt(round.first_units) < units ? BigInt(round.first_units) : units;
  const later = round.units === null ? null : ceil(units - first, BigInt(round.units));
  const isOneRound = units === first;
  const besides = (model.merge === null ? 0 : 1) + (model.cleanup === null ? 0 : 1);
  const processing = ceil(total, BigInt(work.per_job));
  const listed = roundUnits(first, units - first, round.units);
  const most = listed.reduce((a, b) => Math.max(a, b), 0);
  return {
    name: model.name,
    kind: work.kind,
    total: String(total),
    first: work.kind === 'range' ? String(work.first) : null,
    last: work.kind === 'range' ? String(work.first + total - 1n) : null,
    per_unit: String(perUnit),
    units: Number(units),
    rounds: isOneRound ? 1 : later === null ? null : 1 + Number(later),
    round_units: listed,
    jobs: Number(processing + units * BigInt(besides)),
    largest_round_jobs: later === null && !isOneRound ? null : most * (model.jobs_per_unit + besides),
  };
}

function roundUnits(first: bigint, rest: bigint, size: number | null): number[] {
  const listed = [Number(first)];
  for (let left = rest; size !== null && left > 0n && listed.length < ROUNDS_LISTED; left -= BigInt(size)) {
    listed.push(Number(left < BigInt(size) ? left : size));
  }
  return listed;
}

function workSentences(model: RequestModel, plan: PlanFacts): string[] {
  const { work, merge, cleanup, jobs_per_unit } = model;
  const thing = work.kind === 'range' ? 'number' : 'item';
  const isEven = BigInt(plan.total) % BigInt(plan.per_unit) === 0n;
  const range = work.kind === 'range' ? `, from ${grouped(plan.first!)} to ${grouped(plan.last!)}` : '';
  const after = [merge === null ? '' : 'a merge', cleanup === null ? '' : 'a cleanup'].filter(Boolean);
  const jobs =
    jobs_per_unit === 1
      ? `one processing job of ${count(work.per_job, thing)}`
      : `${grouped(jobs_per_unit)} processing jobs of ${count(work.per_job, thing)} each`;
  const largest =
    plan.largest_round_jobs === null || plan.rounds === 1
      ? ''
      : `, at most ${grouped(plan.largest_round_jobs)} in one round`;
  return [
    `the work is ${count(plan.total, thing)}${range}`,
    `a unit is ${[jobs, ...after].join(', then ')}`,
    `${count(plan.units, 'unit')} of ${isEven ? '' : 'up to '}${count(plan.per_unit, thing)} in ${roundsText(model, plan)}`,
    `${count(plan.jobs, 'job')} without retries${largest}`,
  ];
}

/** `3 rounds: 10 units, then 40 and 50`. */
function roundsText({ round }: RequestModel, { rounds, round_units: listed, units }: PlanFacts): string {
  if (rounds === 1) return '1 round';
  const [first, ...later] = listed;
  const start = count(first!, 'unit');
  if (rounds === null) {
    return `rounds: ${start}, then as many as take ${count(round.hours!, 'hour')}, by measured time (${grouped(units - first!)} are left)`;
  }
  if (rounds > listed.length) {
    return `${grouped(rounds)} rounds: ${start}, then ${grouped(later[0]!)} in each`;
  }
  return `${grouped(rounds)} rounds: ${start}, then ${list(later.map(grouped))}`;
}

function failureSentences(model: RequestModel, settings: ErrorSettings): string[] {
  const { merge, cleanup, rulebook, post } = model;
  const failing = `a unit fails when ${merge === null ? '' : 'its merge or '}one of its processing jobs fails and has no retry left`;
  return [
    failing + (cleanup === null ? '' : '; a failed cleanup does not count'),
    retrySentence('processing jobs are', model.process, settings),
    ...(merge === null ? [] : [retrySentence('a merge is', merge, settings)]),
    ...(cleanup === null ? [] : [retrySentence('a cleanup is', cleanup, settings)]),
    ...(post.kind === 'command' ? [`every attempt is evaluated by ${post.command.trim()}`] : []),
    ...(rulebook === null
      ? []
      : [`failures are classified by ${count(rulebook.rules.length, 'rule')} of ${rulebook.name}`]),
    ...roundSentences(settings),
  ];
}

function retrySentence(who: string, job: UnitJob, settings: ErrorSettings): string {
  const retry = unitRetry(job, settings);
  if (retry.max_retries_failure === 0) return `${who} not retried`;
  return `${who} retried ${upTo(retry.max_retries_failure)}${retryWaits(retry)}`;
}

function roundSentences(settings: ErrorSettings): string[] {
  const { error_hold_threshold: threshold, error_max_rescue_attempts: most, when_exhausted } = settings;
  const share = threshold === 0 ? 'a unit fails' : `${percent(threshold)} of the units of a round fail`;
  const held = `the request is held when ${share}`;
  if (threshold === 0) return [held];
  const rescued = `failed units of a round are run again (rescued) ${upTo(most)}`;
  const spent = most === 0 ? 'without a rescue' : `after ${count(most, 'rescue')}`;
  const end =
    when_exhausted === 'advance'
      ? `${held}; when units still fail ${spent}, the next round follows`
      : `${held}, or when units still fail ${spent}`;
  return most === 0 ? [end] : [rescued, end];
}

function siteSentences({ sites }: RequestModel, settings: ErrorSettings): string[] {
  const {
    site_ban_duration_days: days,
    site_ban_min_failures: fewest,
    site_ban_failure_ratio: ratio,
    site_ban_promotion_threshold: requests,
  } = settings;
  return [
    sites === null ? 'jobs run at every site that has workers' : `jobs run at ${list(sites)}`,
    `a site is banned for ${count(days, 'day')} when more than ${percent(ratio)} of its attempts, and at least ${grouped(fewest)}, fail because of the site; bans by ${count(requests, 'request')} apply to all requests`,
  ];
}

function outputSentences({ outputs }: RequestModel): string[] {
  return [outputs === null ? 'no outputs are declared' : `each unit delivers ${outputs}`];
}

function ceil(total: bigint, size: bigint): bigint {
  return (total + size - 1n) / size;
}

/** 1000000 → `1,000,000`. */
function grouped(number: number | string): string {
  const [whole, ...rest] = String(number).split('.');
  return [whole!.replace(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.');
}

function count(number: number | string, thing: string): string {
  return `${grouped(number)} ${thing}${String(number) === '1' ? '' : 's'}`;
}

function list(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
