import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownIdentity } from '../src/host/process-identity.ts';
import { openEngine } from '../src/index.ts';
import { type Created, createInProcess, specOf, submitInProcess } from './create-many.ts';
import { type BenchLine, holdfast, inTempDir, median } from './measure.ts';

const SOME = 10_000;
const MANY = 100_000;
const MOST = 1_000_000;
const FEW = 1_000;
const ROUNDS = 7;
/** Of trivial jobs. */
const SHORT_RUN = 2_000;
const LONG_RUN = 100_000;

/** Large workflows: checking and creating them, reading about them, and claiming from them. `full`: up to a million jobs. */
export async function benchScale(full: boolean): Promise<BenchLine[]> {
  const some = await inTempDir((dir) => checkAndCreate(dir));
  const few = await inTempDir((dir) => createAndClaim(FEW, dir));
  const many = await inTempDir((dir) => createAndClaim(MANY, dir));
  const lines = [
    line('10,000 jobs, `validate` beyond its start', some.validateMs / 1000, 's', 0.25),
    line('10,000 jobs loaded, created and initialised', some.createMs / 1000, 's', 0.45),
    line('100,000 jobs loaded, created and initialised', many.ms / 1000, 's', 10),
  ];
  if (!full) return [...lines, claimLine('100,000', many, few)];
  return [...lines, ...(await benchMost(few)), await benchLongRun()];
}

async function benchMost(few: Claimed): Promise<BenchLine[]> {
  return inTempDir(async (dir) => {
    const most = await createAndClaim(MOST, dir);
    const turn = await inTempDir((own) => submitInProcess(MOST, own));
    const reads = [
      ['status', '1'],
      ['jobs', '1'],
      ['failures', '1'],
    ].map((args) => line(`\`${args[0]}\` of 1,000,000 jobs`, holdfast(dir, ...args).ms / 1000, 's', 1));
    return [
      line('1,000,000 jobs loaded, created and initialised', most.ms / 1000, 's', 25),
      line('the most memory of the process meanwhile', most.peakMb, 'MB', 600),
      {
        ...line(
          'the longest turn of a server while it stores them, processor time',
          turn.processorMs,
          'ms',
          50,
        ),
        against: `${Math.round(turn.ms)} ms with what the thread waited for`,
      },
      claimLine('1,000,000', most, few),
      ...reads,
    ];
  });
}

/** Jobs that do nothing, many and few of them. */
async function benchLongRun(): Promise<BenchLine> {
  const perJob = (jobs: number) =>
    inTempDir((dir) => {
      writeFileSync(join(dir, 'run.yaml'), specOf(jobs).replace('echo {i}', '"true"'));
      return holdfast(dir, 'run', 'run.yaml', '--max-parallel', '2', '--output', 'quiet').ms / jobs;
    });
  const short = await perJob(SHORT_RUN);
  const long = await perJob(LONG_RUN);
  const ratio = long / short;
  return {
    name: 'a run of 100,000 trivial jobs, per job',
    value: long,
    unit: 'ms',
    ratio,
    against: `of 2,000: ${short.toFixed(2)} ms`,
    aim: '<= 1.1',
    met: ratio <= 1.1,
  };
}

function line(name: string, value: number, unit: string, most: number): BenchLine {
  return { name, value, unit, ratio: null, against: '', aim: `< ${most} ${unit}`, met: value < most };
}

function claimLine(count: string, many: Claimed, few: Claimed): BenchLine {
  const ratio = many.claimMs / few.claimMs;
  return {
    name: `a claim at ${count} ready`,
    value: many.claimMs,
    unit: 'ms',
    ratio,
    against: `at 1,000: ${few.claimMs.toFixed(2)} ms`,
    aim: '<= 1.5',
    met: ratio <= 1.5,
  };
}

/** Medians. What a command takes to start is that of the same command for one job. */
async function checkAndCreate(dir: string): Promise<{ validateMs: number; createMs: number }> {
  writeFileSync(join(dir, 'one.yaml'), specOf(1));
  writeFileSync(join(dir, 'some.yaml'), specOf(SOME));
  const beyond: number[] = [];
  const created: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = holdfast(dir, 'validate', 'one.yaml').ms;
    beyond.push(holdfast(dir, 'validate', 'some.yaml').ms - start);
    created.push(await inTempDir((own) => createInProcess(SOME, own).ms));
  }
  return { validateMs: median(beyond), createMs: median(created) };
}

type Claimed = Created & { claimMs: number };

async function createAndClaim(jobs: number, dir: string): Promise<Claimed> {
  const created = createInProcess(jobs, dir);
  const engine = await openEngine({ dir: join(dir, '.holdfast'), create: false });
  const { id: workerId } = await engine.registerWorker(ownIdentity());
  await engine.adopt(1, workerId);
  const claims: number[] = [];
  for (let round = 0; round < 300; round += 1) {
    const before = performance.now();
    await engine.exchange(workerId, {
      started: [],
      finished: [],
      errands: [],
      capacity: { cpus: 1, memory_bytes: 1e9, gpus: 0, slots: 1, default_cpus: 1 },
      workflow_id: 1,
    });
    claims.push(performance.now() - before);
  }
  await engine.close();
  return { ...created, claimMs: median(claims) };
}
