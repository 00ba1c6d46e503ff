import type { NewRequest } from '../contract/engine.ts';
import type { PostOrder } from '../contract/records/errand.ts';
import type { Claim } from '../contract/records/exchange.ts';
import { crashedPost, type PostResult } from '../core/job/post-result.ts';
import { classifyAttempt, patternsOf } from '../core/request/classify-attempt.ts';
import { DEFAULT_ERROR_SETTINGS, type ErrorSettings } from '../core/request/error-settings.ts';
import { processName } from '../core/request/unit-name.ts';
import { foundPatterns } from '../spec/pattern.ts';
import {
  type GivenList,
  type GivenOutcomes,
  readGivenOutcomes,
  refuseUnknownUnits,
} from './given-outcomes.ts';
import type { RequestOutcome } from './request-outcome.ts';
import type { SimulatedOutcome } from './simulated-outcome.ts';
import type { SimulatedCourse } from './simulated-worker.ts';

/** A request with more executions is stopped there. */
const MAX_EXECUTIONS = 100_000;

const JOB = /^unit_(\d+)_(proc_\d+|merge|cleanup)$/;

/**
 * The course that `--outcome` gives a request. A unit fails by its first processing job, or by the one with the bad item.
 * Outcomes of a job come before those of its unit, and those before the one of its site. All else succeeds.
 */
export class RequestCourse implements SimulatedCourse {
  readonly maxExecutions = MAX_EXECUTIONS;
  readonly #request: NewRequest;
  readonly #settings: ErrorSettings;
  readonly #durationMs: number;
  readonly #given: GivenOutcomes;

  constructor(
    request: NewRequest,
    { outcomes, sites }: { outcomes: readonly string[]; sites: readonly string[] },
    durationMs: number,
  ) {
    this.#request = request;
    this.#settings = { ...DEFAULT_ERROR_SETTINGS, ...request.settings, ...request.model.errors };
    this.#durationMs = durationMs;
    this.#given = readGivenOutcomes(request, this.#settings, sites, outcomes);
  }

  next(claim: Claim, site: string): RequestOutcome {
    const { units, jobs, sites, success } = this.#given;
    const [, digits = '0', part = ''] = JOB.exec(claim.job_name) ?? [];
    const job = jobs.get(claim.job_name);
    if (job !== undefined && job.used < job.outcomes.length) return use(job, job.used, claim);
    const unit = units.get(Number(digits));
    const given = unit?.outcomes[claim.run_id - 1];
    if (unit !== undefined && given !== undefined) {
      const isThere = given.badItem
        ? claim.config.post!.items.includes(given.badItem)
        : part === processName(1);
      return isThere ? use(unit, claim.run_id - 1, claim) : success;
    }
    const place = sites.get(site);
    return place === undefined ? success : use(place, 0, claim);
  }

  durationMs(): number {
    return this.#durationMs;
  }

  output(): unknown {
    return null;
  }

  /** The built-in post step, without its files. */
  post(order: PostOrder, { config, requirement }: Claim, played: SimulatedOutcome): PostResult {
    const { rulebook } = this.#request.model;
    const { report, stderr } = played as RequestOutcome;
    const patterns = patternsOf(rulebook);
    const { exit_code, classification, ...classified } = classifyAttempt(
      {
        outcome: played.outcome,
        report,
        hold_reason: null,
        items: config.post!.items,
        failures_before: order.failures_before,
        max_retries: config.retry.max_retries_failure,
        memory_bytes: requirement.memory_bytes,
        runtime_ms: config.timeout_ms,
        found: {
          stderr: foundPatterns(patterns.stderr, stderr),
          message: foundPatterns(patterns.message, report?.error_message ?? ''),
          holds: [],
        },
      },
      rulebook,
      this.#settings,
    );
    return {
      exit_code,
      category: classification.category,
      bad_inputs: classified.bad_inputs,
      memory_bytes: classified.memory_bytes,
      runtime_ms: classified.runtime_ms,
      delay_ms: classified.delay_ms,
      reason: classified.sentence,
      report_code: report?.exit_code ?? null,
      message: report?.error_message ?? null,
      log_tail: stderr === '' ? null : stderr,
      problem: null,
    };
  }

  /** `most`: the last unit that the request has. */
  refuseUnknownUnits(most: number): void {
    refuseUnknownUnits(this.#given, most);
  }

  /** What was given and never came: `unit 3=fail,ok`. An `ok` that did not come is no surprise. */
  unused(): string[] {
    const { units, jobs, sites } = this.#given;
    return [...units.values(), ...jobs.values(), ...sites.values()].flatMap(({ target, outcomes, used }) => {
      const rest = outcomes.slice(used);
      if (rest.every(({ isSuccess }) => isSuccess)) return [];
      return [`${target}=${rest.map(({ given }) => given).join(',')}`];
    });
  }
}

/** Without a name, the bad item is the first one of the job. */
function use(given: GivenList, index: number, { config }: Claim): RequestOutcome {
  given.used = Math.max(given.used, index + 1);
  const outcome = given.outcomes[index]!;
  if (outcome.badItem === null) return outcome;
  const bad = outcome.badItem === '' ? config.post!.items.slice(0, 1) : [outcome.badItem];
  return { ...outcome, post: { ...(outcome.post ?? crashedPost('')), bad_inputs: bad } };
}
