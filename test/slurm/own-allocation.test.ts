import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { ownAllocation, workersTogether } from '../../src/clusters/slurm/own-allocation.ts';

const MEBIBYTE = 1024 * 1024;
const BATCH = {
  SLURM_JOB_ID: '4711',
  SLURM_NNODES: '1',
  SLURM_NODEID: '0',
  SLURMD_NODENAME: 'n1',
  SLURM_CPUS_ON_NODE: '8',
  SLURM_MEM_PER_NODE: '2000',
  SLURM_CLUSTER_NAME: 'atlas',
  PATH: '/nowhere',
};

/** An environment in which `squeue` and `scontrol` are these scripts. */
function withPrograms(programs: Record<string, string>, env: object = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-own-'));
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(directory, name), 0o755);
  }
  const path = `${directory}${delimiter}/usr/bin${delimiter}/bin`;
  return { directory, env: { ...BATCH, ...env, PATH: path } };
}

test('a batch job knows what it has', () => {
  const { endsAt: _, ...facts } = ownAllocation(BATCH);
  expect(facts).toEqual({
    cluster: 'slurm',
    id: '4711',
    node: 0,
    nodeName: 'n1',
    nodes: 1,
    cpus: 8,
    memoryBytes: 2000 * MEBIBYTE,
    gpus: 0,
    restarts: 0,
    site: 'atlas',
    killWaitMs: 30_000,
  });
});

test('memory may be given for each CPU or for each GPU, or not at all', () => {
  const { SLURM_MEM_PER_NODE: _, ...rest } = BATCH;
  expect(ownAllocation({ ...rest, SLURM_MEM_PER_CPU: '500' }).memoryBytes).toBe(4000 * MEBIBYTE);
  const gpus = { SLURM_MEM_PER_GPU: '1000', SLURM_GPUS_ON_NODE: '2' };
  expect(ownAllocation({ ...rest, ...gpus }).memoryBytes).toBe(2000 * MEBIBYTE);
  expect(ownAllocation(rest).memoryBytes).toBeNull();
});

test('GPUs are counted from whatever is set', () => {
  expect(ownAllocation({ ...BATCH, SLURM_GPUS_ON_NODE: '3' }).gpus).toBe(3);
  expect(ownAllocation({ ...BATCH, SLURM_JOB_GPUS: '0,1' }).gpus).toBe(2);
  expect(ownAllocation({ ...BATCH, CUDA_VISIBLE_DEVICES: '4,5,6' }).gpus).toBe(3);
  expect(ownAllocation({ ...BATCH, CUDA_VISIBLE_DEVICES: 'NoDevFiles' }).gpus).toBe(0);
});

test('one worker has all nodes of its job, and one of several that srun started has its own', () => {
  const job = { ...BATCH, SLURM_NNODES: '3', SLURM_RESTART_COUNT: '2' };
  expect(ownAllocation(job)).toMatchObject({ node: 0, nodes: 3, restarts: 2 });
  const step = { ...job, SLURM_STEP_ID: '0', SLURM_STEP_NUM_NODES: '3', SLURM_NODEID: '1' };
  expect(ownAllocation({ ...step, SLURM_STEP_NUM_TASKS: '3' })).toMatchObject({ node: 1, nodes: 1 });
  expect(ownAllocation({ ...step, SLURM_STEP_NUM_TASKS: '1' })).toMatchObject({ nodes: 3 });
  expect([workersTogether(job), workersTogether({ ...step, SLURM_STEP_NUM_TASKS: '3' })]).toEqual([1, 3]);
});

test('outside of a job the error says how to start it', () => {
  expect(() => ownAllocation({ PATH: '/bin' })).toThrow(/SLURM_JOB_ID is not set; .*sbatch/);
});

test('the end is what squeue says, in universal time and whatever format the user likes', async () => {
  const { env } = withPrograms(
    { squeue: '[ "$TZ $SLURM_TIME_FORMAT $3" = "UTC standard 4711" ] && echo "RUNNING|2026-03-01T12:00:00"' },
    { TZ: 'Asia/Tokyo', SLURM_TIME_FORMAT: 'relative' },
  );
  expect(await ownAllocation(env).endsAt()).toBe(Date.parse('2026-03-01T12:00:00Z'));
});

test.each([
  ['absent', null],
  ['failing', 'echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1'],
  ['garbage', 'echo "%%%|half past two|x"'],
  ['a job without an end', 'echo "RUNNING|N/A"'],
  // The end of an allocation that is being ended is always the present.
  ['a job that is being ended', 'echo "COMPLETING|2026-03-01T12:00:00"'],
])('an answer of squeue that says nothing is no end: %s', async (_, script) => {
  const { env } = withPrograms(script === null ? {} : { squeue: script });
  const own = { ...env, PATH: script === null ? '/nowhere' : env.PATH };
  expect(await ownAllocation(own).endsAt()).toBeNull();
  expect(await ownAllocation({ ...own, SLURM_JOB_END_TIME: '1772366400' }).endsAt()).toBe(1_772_366_400_000);
});

test('the end at the start of the job is not used once squeue has printed a newer one', async () => {
  const { env, directory } = withPrograms(
    { squeue: 'cat "$(dirname "$0")/answer"' },
    { SLURM_JOB_END_TIME: '1772366400' },
  );
  const own = ownAllocation(env);
  writeFileSync(join(directory, 'answer'), 'RUNNING|2026-03-01T13:00:00\n');
  expect(await own.endsAt()).toBe(Date.parse('2026-03-01T13:00:00Z'));
  writeFileSync(join(directory, 'answer'), 'garbage\n');
  expect(await own.endsAt()).toBeNull();
});

test('how long Slurm waits before it kills is read from its configuration', async () => {
  const { env } = withPrograms({
    scontrol: 'echo "JobRequeue = 1"; echo "KillWait                = 12 sec"',
  });
  const own = ownAllocation(env);
  await expect.poll(() => own.killWaitMs, { timeout: 20_000 }).toBe(12_000);
});
