import { expect, test } from 'vitest';
import type { JobDetails } from '../../src/contract/records/records.ts';
import { DEFAULT_JOB_CONFIG } from '../../src/core/model/workflow-model.ts';
import { graphOfRecords } from '../../src/views/graph/job-graph.ts';
import { jobWaves } from '../../src/views/graph/job-waves.ts';
import { job } from '../cli/records.ts';
import { explanation } from '../cli/sample-explanation.ts';

function details(id: number, name: string, after: number[] = [], onCall = false): JobDetails {
  return {
    ...explanation().job,
    ...job({ id, name }),
    config: { ...DEFAULT_JOB_CONFIG, command: 'true', on_call: onCall },
    depends_on: after.map((job_id) => ({ job_id, name: `job ${job_id}`, status: 'completed' })),
  };
}

test('stored jobs have the waves that their dependencies give, and jobs on call are in none', () => {
  const jobs = [details(4, 'a'), details(5, 'b', [4]), details(6, 'c', [5, 4]), details(9, 'fix', [], true)];
  const graph = graphOfRecords('nightly', jobs);
  expect(jobWaves(graph)).toEqual([[0], [1], [2]]);
  expect(graph.jobs.map(({ name, set }) => [name, set])).toEqual([
    ['a', null],
    ['b', 0],
    ['c', 1],
    ['fix', null],
  ]);
});

test('a dependency on a job that is not among the records is left out', () => {
  expect(jobWaves(graphOfRecords('part', [details(5, 'b', [4]), details(6, 'c', [5])]))).toEqual([[0], [1]]);
});
