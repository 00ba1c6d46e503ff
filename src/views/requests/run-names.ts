import type { RoundRecord } from '../../contract/records/request.ts';

type RoundRun = RoundRecord['runs'][number];

const RUNS: Record<RoundRun['kind'], string> = {
  first: 'first run',
  failure: 'rescue',
  stop: 'after a stop',
  reset: 'reset',
};

/** `first run`, `rescue 2`, `after a stop`: the names of the runs of a round, in order. */
export function runNames(runs: readonly Pick<RoundRun, 'kind'>[]): string[] {
  let rescues = 0;
  return runs.map(({ kind }) => {
    if (kind !== 'failure') return RUNS[kind];
    rescues += 1;
    return `${RUNS[kind]} ${rescues}`;
  });
}
