import type { NewRequest } from '../contract/engine.ts';
import { patternsOf } from '../core/request/classify-attempt.ts';
import type { ErrorSettings } from '../core/request/error-settings.ts';
import { processName, unitName } from '../core/request/unit-name.ts';
import { foundPatterns } from '../spec/pattern.ts';
import { didYouMean } from '../spec/suggest.ts';
import { invalidOption } from './invalid-option.ts';
import { type RequestOutcome, readRequestOutcomes } from './request-outcome.ts';

/** Outcomes of one target, and how far they were used. */
export interface GivenList {
  target: string;
  /** Number of the unit; null for a site. */
  unit: number | null;
  outcomes: RequestOutcome[];
  /** How many of them, from the first, have come. */
  used: number;
}

/** What `--outcome` gives a request. */
export interface GivenOutcomes {
  units: Map<number, GivenList>;
  /** By name of the job. */
  jobs: Map<string, GivenList>;
  sites: Map<string, GivenList>;
  success: RequestOutcome;
}

const EXAMPLE = `write 'unit 3=fail,ok' or 'site north=infrastructure'`;

/**
 * `unit N=LIST`: how the runs of a unit end. `unit N proc K=LIST`, `unit N merge=LIST`, `unit N cleanup=LIST`: how the
 * attempts of one job end. `site NAME=OUTCOME`: how all attempts at a site end.
 */
export function readGivenOutcomes(
  request: NewRequest,
  settings: ErrorSettings,
  sites: readonly string[],
  texts: readonly string[],
): GivenOutcomes {
  const reader = new Reader(request, settings);
  const given: GivenOutcomes = {
    units: new Map(),
    jobs: new Map(),
    sites: new Map(),
    success: reader.outcomes('--outcome', 'ok')[0]!,
  };
  for (const text of texts) {
    const [, written = '', list = ''] =
      /^([^=]*)=(.*)$/s.exec(text) ?? invalidOption('--outcome', `${text}: ${EXAMPLE}`);
    const words = written.trim().split(/\s+/);
    const target = words.join(' ');
    const option = `--outcome ${target}`;
    const [kind = '', name = ''] = words;
    if (kind === 'site') {
      checkSite(option, words, sites);
      const outcomes = reader.outcomes(option, list);
      if (outcomes.length > 1) invalidOption(option, 'a site has one outcome, for all attempts there');
      keep(given.sites, name, { target, unit: null, outcomes, used: 0 });
      continue;
    }
    if (kind !== 'unit' || name === '') {
      invalidOption(option, `is no unit and no site; ${EXAMPLE}${didYouMean(kind, ['unit', 'site'])}`);
    }
    if (!/^[1-9]\d{0,14}$/.test(name)) invalidOption(option, `${name} is no unit; units have numbers from 1`);
    const unit = Number(name);
    const entry = { target, unit, outcomes: reader.outcomes(option, list), used: 0 };
    if (words.length === 2) keep(given.units, unit, entry);
    else keep(given.jobs, `${unitName(unit)}_${reader.part(option, words.slice(2))}`, entry);
  }
  return given;
}

/** Refuses units that the request does not have. `most`: its last one. */
export function refuseUnknownUnits({ units, jobs }: GivenOutcomes, most: number): void {
  for (const { unit, target } of [...units.values(), ...jobs.values()]) {
    if (unit! <= most) continue;
    const range = most === 1 ? 'one unit' : `units 1 to ${most}`;
    const near = didYouMean(String(unit), digitsLeftOut(unit!, most));
    invalidOption(`--outcome ${target}`, `there is no unit ${unit}: the request has ${range}${near}`);
  }
}

function keep<K>(map: Map<K, GivenList>, key: K, given: GivenList): void {
  if (map.has(key)) invalidOption(`--outcome ${given.target}`, 'was given twice; write one list');
  map.set(key, given);
}

function checkSite(option: string, words: readonly string[], sites: readonly string[]): void {
  const name = words.slice(1).join(' ');
  if (sites.includes(name)) return;
  const near = didYouMean(name, sites);
  invalidOption(option, `there is no site ${name}; --sites names ${sites.join(', ')}${near}`);
}

/** 31 and 30 for 310. */
function digitsLeftOut(number: number, most: number): string[] {
  const text = String(number);
  return [...text]
    .map((_, index) => text.slice(0, index) + text.slice(index + 1))
    .filter((digits) => /^[1-9]/.test(digits) && Number(digits) <= most)
    .reverse();
}

/** Knows the parts of a unit, the codes of its post step, and the items. */
class Reader {
  readonly #request: NewRequest;
  readonly #settings: ErrorSettings;
  readonly #stderr: string[];

  constructor(request: NewRequest, settings: ErrorSettings) {
    this.#request = request;
    this.#settings = settings;
    this.#stderr = patternsOf(request.model.rulebook).stderr;
  }

  outcomes(option: string, list: string): RequestOutcome[] {
    const { unless_exit_code: permanent_code, abort_dag_code: abort_code } = this.#settings;
    const outcomes = readRequestOutcomes(
      option,
      list,
      { permanent_code, abort_code },
      {
        hasPost: this.#request.model.post.kind === 'command',
        findPatterns: (text) => foundPatterns(this.#stderr, text),
      },
    );
    for (const { badItem } of outcomes) if (badItem) this.#checkItem(option, badItem);
    return outcomes;
  }

  /** `proc 2`, `merge` or `cleanup`. */
  part(option: string, words: readonly string[]): string {
    const [part = '', index] = words;
    const { merge, cleanup, jobs_per_unit: most } = this.#request.model;
    const parts = ['proc', ...(merge === null ? [] : ['merge']), ...(cleanup === null ? [] : ['cleanup'])];
    if (!parts.includes(part)) {
      invalidOption(option, `a unit has no ${part}; it has ${parts.join(', ')}${didYouMean(part, parts)}`);
    }
    if (part !== 'proc') {
      return words.length === 1 ? part : invalidOption(option, `a unit has one ${part}`);
    }
    const number = Number(index ?? '1');
    if (!Number.isInteger(number) || number < 1 || number > most || words.length > 2) {
      invalidOption(option, `a unit has ${most === 1 ? 'one, proc 1' : `proc 1 to proc ${most}`}`);
    }
    return processName(number);
  }

  #checkItem(option: string, item: string): void {
    const { items } = this.#request;
    if (items === null) invalidOption(option, `the request is a range and has no item ${item}; write data`);
    const paths = items.map(({ path }) => path);
    if (!paths.includes(item))
      invalidOption(option, `the inventory has no item ${item}${didYouMean(item, paths)}`);
  }
}
