import type { NewItem, RequestModel } from '../../src/core/request/request-model.ts';
import { formatProblem } from '../../src/spec/problem.ts';
import { type LoadedRequest, loadRequest } from '../../src/spec/request/load-request.ts';
import { sentFiles } from '../../src/spec/spec-files.ts';

type Texts = Record<string, string>;

export function load(text: string, texts: Texts = {}, fileName = 'request.yaml'): LoadedRequest {
  return loadRequest(text, fileName, sentFiles({ texts, lists: {} }));
}

/** A request that must be right. */
export function requestOf(
  text: string,
  texts: Texts = {},
  fileName = 'request.yaml',
): { model: RequestModel; items: NewItem[] | null } {
  const loaded = load(text, texts, fileName);
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join('\n'));
  return loaded;
}

/** The mistakes of a request that must be wrong. */
export function mistakesOf(text: string, texts: Texts = {}, fileName = 'request.yaml'): string[] {
  const loaded = load(text, texts, fileName);
  if (loaded.ok) throw new Error('the request was accepted');
  return loaded.problems.map(formatProblem);
}

/** Those of the first section of the design of requests, and the rulebook of the first one. */
export const RANGE = `kind: request                        # a range
name: minbias-2026
priority: 100
work: { range: { total: 100000, first: 1, per_job: 250 } }
jobs_per_unit: 4                     # 1,000 numbers a unit
round: { first_units: 10, units: 40 }
sites: [north, south]                # absent: every site that has workers
process:
  command: ./simulate --first {first} --last {last} --out {output}
  resource_requirements: { num_cpus: 2, memory: 2g, runtime: 30m }
  retry: 3
merge: { command: "./merge {inputs} > {output}", retry: 2 }
cleanup: { command: "rm -f {inputs}" }
outputs: "data/{request}/v{version}/{unit}.root"     # {output} of merge; of process: a file in the unit's directory
post: holdfast                       # the built-in; or a command of your own
rulebook: rules/simulation.yaml
errors: { error_hold_threshold: 0.2, error_max_rescue_attempts: 3, cooloff_base_sec: 60, when_exhausted: hold }
cleanup_policy: keep_until_replaced
executor: workers                    # or htcondor
`;

export const INVENTORY = `kind: request                        # an inventory
name: reprocess-2025B
work:
  items: lists/2025B.txt             # one a line, or a glob; a second column, or the pattern, is the group
  per_job: 2
  group_by: 'run_(\\d+)'
jobs_per_unit: 5
round: { first_units: 2, units: 100 }
process: { command: "./reco {items} -o {output}", retry: 3 }
merge: { command: "./merge {inputs} > {output}" }
`;

export const RULES = `# rules/simulation.yaml: the notation of failure handlers, plus what reports and items need; first match wins
rules:
  - { report_codes: [8021, 8028], category: data, bad_items: reported }
  - { exit_codes: [65, 66, 67], category: permanent }
  - { report_codes: [50660], memory: x1.5, max_memory: 8g }
  - { stderr: 'No space left|HTTP 507', category: infrastructure, delay: 2m }
  - { report_codes: [8001], message: site-local-config, category: infrastructure }
`;
