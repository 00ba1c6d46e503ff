import { HOSTILE_NAME } from './specs.ts';

const RULES = 'rules: [{ stderr: "No space left", category: infrastructure, delay: 0s }]';

/**
 * A range at two sites, of which only north has a worker. A first round of four units is done; in the second one most fail
 * for reasons of the site, so that north is banned for the request, which is held.
 */
export const MINBIAS = {
  spec: {
    kind: 'request',
    name: 'minbias-2026',
    description: 'Simulated events without a trigger, for the calibration of 2026.',
    priority: 100,
    work: { range: { total: 3000, per_job: 100 } },
    jobs_per_unit: 1,
    round: { first_units: 4, units: 12 },
    sites: ['north', 'south'],
    rulebook: 'rules.yaml',
    errors: { error_hold_threshold: 0.3, cooloff_base_sec: 0 },
    process: {
      command:
        'u={unit}; if [ "$u" -gt 4 ] && [ "$u" -le 12 ]; then echo "opening data/$u.root" >&2; echo "write error: No space left on device" >&2; exit 1; fi; if [ "$u" = 14 ]; then echo "ValueError: no field map for run 214" >&2; exit 65; fi',
      retry: 0,
    },
  },
  files: { texts: { 'rules.yaml': RULES }, lists: {} },
};

/** An inventory with an item that no job can read. Everything in it tries to be markup. */
export const READINGS = {
  spec: {
    kind: 'request',
    name: 'readings-2025B',
    description: HOSTILE_NAME,
    work: { items: ['a.root', 'b.root', `noisy ${HOSTILE_NAME}.root`, 'd.root', 'e.root'], per_job: 1 },
    jobs_per_unit: 1,
    round: { first_units: 5, units: 5 },
    errors: { error_hold_threshold: 0.2, cooloff_base_sec: 0 },
    process: {
      command: `for f in {items}; do case "$f" in noisy*) echo "$f" >&2; exit 66;; esac; done`,
      retry: 0,
    },
  },
};

/** More units in one round than there are shapes for. No worker may run them. */
export const SURVEY = {
  spec: {
    kind: 'request',
    name: `survey-${'of-everything-'.repeat(6)}2026`,
    work: { range: { total: 500, per_job: 1 } },
    jobs_per_unit: 1,
    round: { first_units: 500, units: 500 },
    process: { command: 'true', labels: ['nowhere'] },
  },
};

/** What a cluster is asked for; no cluster is there. */
export const SCHEDULER = {
  name: 'gpu',
  options: { account: 'lab', time: '1:00:00' },
  extra: [],
  nodes: 1,
  walltime_ms: 3_600_000,
  cpus: 4,
  memory_bytes: null,
  gpus: 1,
  serialize: false,
};
