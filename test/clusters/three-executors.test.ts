import { expect, test } from 'vitest';
import type { AttemptRecord, JobRecord } from '../../src/contract/records/records.ts';
import { makeWorld, type World } from '../e2e/world.ts';
import { startHoldfast } from './condor-cli.ts';
import { startCondor } from './condor-world.ts';
import { slurmRun } from './slurm-run-world.ts';

const QUICK = { max_retries_failure: 1, initial_delay: '10ms' };
const JOBS = [
  { name: 'fine', command: 'echo fine' },
  { name: 'flaky', command: '[ -e flaky ] || { touch flaky; exit 9; }', retry: QUICK },
  { name: 'bad', command: 'exit 3', retry: QUICK },
  { name: 'chosen', command: 'exit 4', failure_handler: 'patient' },
  { name: 'slow one', command: 'sleep 100', timeout: '2s' },
  { name: 'killed', command: 'kill -SEGV $$' },
  { name: 'never', command: 'true', depends_on: ['bad'] },
  { name: 'after', command: 'true', depends_on: ['fine', 'flaky'] },
];
const SPEC = {
  name: 'everywhere',
  failure_handlers: [{ name: 'patient', rules: [{ exit_codes: [4], max_retries: 3, delay: '10ms' }] }],
};

interface EndFacts {
  jobs: Pick<JobRecord, 'name' | 'status'>[];
  attempts: string[];
}

/** What must be the same, wherever it ran. */
function reported(jobs: readonly JobRecord[], attempts: readonly AttemptRecord[]): EndFacts {
  return {
    jobs: jobs.map(({ name, status }) => ({ name, status })),
    attempts: attempts
      .map(({ job_name, attempt_id, state, exit_code, cause, verdict, rule, category }) =>
        JSON.stringify({ job_name, attempt_id, state, exit_code, cause, verdict, rule, category }),
      )
      .sort(),
  };
}

const ofWorld = async (world: World) => reported(await world.jobs(), await world.attempts());

test('the same workflow has the same statuses, attempts and exit code locally, on Slurm and on HTCondor', async (context) => {
  const condor = await startCondor();
  context.onTestFinished(() => condor.down());
  const spec = { ...SPEC, jobs: JOBS };
  const local = makeWorld(context, { 'spec.json': spec });
  const slurm = await slurmRun(context, JOBS, SPEC);
  const project = condor.project('three', { 'spec.json': JSON.stringify(spec) });
  const holdfast = (...args: string[]) => startHoldfast(condor, project, args).ended;

  const here = await local.start('run', 'spec.json').ended;
  const allocated = await slurm.start().ended;
  const dagman = await holdfast('run', 'spec.json', '--executor', 'htcondor');

  const expected = await ofWorld(local);
  expect(await ofWorld(slurm.world)).toEqual(expected);
  const list = async (what: string) => JSON.parse((await holdfast(what, '1', '--output', 'json')).stdout);
  expect(reported(await list('jobs'), await list('attempts'))).toEqual(expected);
  expect([here.code, allocated.code, dagman.code]).toEqual([1, 1, 1]);
  expect(Object.fromEntries(expected.jobs.map(({ name, status }) => [name, status]))).toEqual({
    fine: 'completed',
    flaky: 'completed',
    bad: 'failed',
    chosen: 'failed',
    'slow one': 'terminated',
    killed: 'terminated',
    never: 'canceled',
    after: 'completed',
  });
});
